//! Golden models in macros: the same chains and the same exact throughputs as through files.

use serde_json::Value;
use skel::prelude::*;

fn compare(name: &str, model: &impl Modelled) {
    let golden: Value = serde_json::from_str(include_str!("seeds/golden.json")).unwrap();
    let golden = golden.as_array().unwrap().iter().find(|golden| golden["name"] == name).unwrap();
    let built = model.build().unwrap();
    assert_eq!(built, skel::text::parse(golden["text"].as_str().unwrap()).into_model().unwrap(), "{name}");
    let space = built.explore().unwrap();
    assert_eq!(space.states() as u64, golden["states"].as_u64().unwrap(), "{name}");
    assert_eq!(space.transitions() as u64, golden["arcs_labelled"].as_u64().unwrap(), "{name}");
    let exact = space.steady_state_exact().unwrap();
    for (action, value) in golden["throughput"].as_object().unwrap() {
        assert_eq!(
            exact.throughput_named(action).unwrap().to_string(),
            value.as_str().unwrap(),
            "{name} {action}"
        );
    }
}

pepa! {
    pub model Tiny {
        r1=2; r2=10; r3=1;
        P1=(start,r1).P2;
        P2=(run,r2).P3;
        P3=(stop,r3).P1;
        P1 || P1
        start1 = {P1 || **};
        run1 = {P2 || **};
        Trun1 = r2 * {P2 || **};
        stop1 = {P3 || **};
    }
}

pepa! {
    pub model Pipeline3All10 {
        // PIPELINE APPLICATION
        // 3 stages, 3 processors (1 stage per processor)
        mu1=10; mu2=10; mu3=10;
        la1=10; la2=10; la3=10; la4=10;
        Stage1 = (move1, infty).(process1, infty).(move2, infty).Stage1;
        Stage2 = (move2, infty).(process2, infty).(move3, infty).Stage2;
        Stage3 = (move3, infty).(process3, infty).(move4, infty).Stage3;
        Processor1 = (process1, mu1).Processor1;
        Processor2 = (process2, mu2).Processor2;
        Processor3 = (process3, mu3).Processor3;
        Network = (move1,la1).Network + (move2,la2).Network
                  + (move3,la3).Network + (move4,la4).Network;
        Network <move1,move2,move3,move4>
          (Stage1 <move2> Stage2 <move3> Stage3)
          <process1,process2,process3> (Processor1||Processor2||Processor3)

        Throughput = mu1 * { ** <move1,move2,move3,move4>
          ((process1, infty).(move2,infty).Stage1 <move2> ** <move3> **)
          <process1,process2,process3> (** || ** || **)};
    }
}

pepa! {
    pub model Amoget1 {
        mu1 = 2;
        la1 = 3;
        la2 = 5;
        Stage1 = (move1, infty).(process1, infty).(move2, infty).Stage1;
        Processor1 = (process1, mu1).Processor1;
        Network = (move1, la1).Network + (move2, la2).Network;
        Network <move1,move2> (Stage1) <process1> (Processor1)
    }
}

pepa! {
    pub model Amoget2Asym {
        mu1 = 1;
        mu2 = 2;
        la1 = 3;
        la2 = 4;
        la3 = 5;
        Stage1 = (move1, infty).(process1, infty).(move2, infty).Stage1;
        Stage2 = (move2, infty).(process2, infty).(move3, infty).Stage2;
        Processor1 = (process1, mu1).Processor1;
        Processor2 = (process2, mu2).Processor2;
        Network = (move1, la1).Network + (move2, la2).Network + (move3, la3).Network;
        Network <move1,move2,move3> (Stage1 <move2> Stage2) <process1,process2> (Processor1 || Processor2)
    }
}

pepa! {
    pub model Table511336 {
        mu1 = 1;
        mu2 = 50;
        mu3 = 50;
        la1 = 10000;
        la2 = 1;
        la3 = 10000;
        la4 = 10000;
        Stage1 = (move1, infty).(process1, infty).(move2, infty).Stage1;
        Stage2 = (move2, infty).(process2, infty).(move3, infty).Stage2;
        Stage3 = (move3, infty).(process3, infty).(move4, infty).Stage3;
        Processor1 = (process1, mu1).Processor1;
        Processor3 = (process2, mu2).Processor3 + (process3, mu3).Processor3;
        Network = (move1, la1).Network + (move2, la2).Network + (move3, la3).Network + (move4, la4).Network;
        Network <move1,move2,move3,move4> (Stage1 <move2> Stage2 <move3> Stage3) <process1,process2,process3> (Processor1 || Processor3)
    }
}

pepa! {
    pub model SkTask {
        // Computation rates.
        Processor_0 = (comp_0, 2.0).Processor_0;

        // Communication rates.

        // Task definitions.
        t_0 = (comp_0, infty).t_0;

        // System model.
        (t_0)<comp_0>(Processor_0)
    }
}

pepa! {
    pub model SkPipe3 {
        // Computation rates.
        Processor_0 = (comp_0, 1.0).Processor_0;
        Processor_1 = (comp_1, 1.0).Processor_1;
        Processor_2 = (comp_2, 1.0).Processor_2;

        // Communication rates.
        Network = (move_0_1, 1.0).Network + (move_1_2, 1.0).Network;

        // Task definitions.
        t_0 = (comp_0, infty).t_01;
        t_01 = (move_0_1, infty).t_0;
        t_1 = (move_0_1, infty).(comp_1, infty).(move_1_2, infty).t_1;
        t_2 = (move_1_2, infty).(comp_2, infty).t_2;

        // System model.
        Network<move_0_1, move_1_2>(t_0 <move_0_1> t_1 <move_1_2> t_2)<comp_0, comp_1, comp_2>(Processor_0 || Processor_1 || Processor_2)
    }
}

pepa! {
    pub model SkTFarm2T {
        // Computation rates.
        Processor_0 = (comp_0, 1.0).Processor_0;
        Processor_1 = (comp_1, 1.0).Processor_1;
        Processor_2 = (comp_2, 1.0).Processor_2;
        Processor_3 = (comp_3, 1.0).Processor_3;

        // Communication rates.
        Network = (move_0_1, 1.0).Network + (move_0_2, 1.0).Network + (move_1_3, 1.0).Network + (move_2_3, 1.0).Network;

        // Task definitions.
        t_0 = (comp_0, infty).t_01;
        t_01 = (move_0_1, infty).t_0 + (move_0_2, infty).t_0;
        t_1 = (move_0_1, infty).(comp_1, infty).(move_1_3, infty).t_1;
        t_2 = (move_0_2, infty).(comp_2, infty).(move_2_3, infty).t_2;
        t_3 = (move_1_3, infty).t_3_1 + (move_2_3, infty).t_3_1;
        t_3_1 = (comp_3, infty).t_3;

        // System model.
        Network<move_0_1, move_0_2, move_1_3, move_2_3>(t_0 <move_0_1, move_0_2> (t_1 || t_2) <move_1_3, move_2_3> t_3)<comp_0, comp_1, comp_2, comp_3>(Processor_0 || Processor_1 || Processor_2 || Processor_3)
    }
}

pepa! {
    pub model SemMin {
        P = (a, 2).P1; P1 = (b, 1).P;
        Q = (a, 3).Q1; Q1 = (c, 1).Q;
        P <a> Q
    }
}

pepa! {
    pub model SemSplit {
        P = (a, 1).P1 + (a, 2).P2; P1 = (b, 1).P; P2 = (c, 1).P;
        Q = (a, 4).Q;
        P <a> Q
    }
}

pepa! {
    pub model SemParApparent {
        P = (a, 1).P1; P1 = (b, 1).P;
        Q = (a, 3).Q;
        (P || P) <a> Q
    }
}

pepa! {
    pub model SemWeights {
        P = (a, infty).P1 + (a, 3*infty).P2; P1 = (b, 1).P; P2 = (c, 1).P;
        Q = (a, 4).Q;
        P <a> Q
    }
}

pepa! {
    pub model SemSelfloop {
        P = (a, 2).P + (b, 1).P1; P1 = (c, 3).P;
        P
    }
}

#[test]
fn macro_models_equal_the_golden_ones() {
    compare("tiny", &Tiny::new());
    compare("pipeline3_all10", &Pipeline3All10::new());
    compare("amoget1", &Amoget1::new());
    compare("amoget2_asym", &Amoget2Asym::new());
    compare("table51_133_6", &Table511336::new());
    compare("sk_task", &SkTask::new());
    compare("sk_pipe3", &SkPipe3::new());
    compare("sk_t_farm2_t", &SkTFarm2T::new());
    compare("sem_min", &SemMin::new());
    compare("sem_split", &SemSplit::new());
    compare("sem_par_apparent", &SemParApparent::new());
    compare("sem_weights", &SemWeights::new());
    compare("sem_selfloop", &SemSelfloop::new());
}
