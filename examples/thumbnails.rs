//! Thumbnails of pictures: a pipeline that does real work, with its prediction beside what was measured.
//!
//! A task decodes PNG files, the workers of a farm shrink the pictures, and a task pastes the thumbnails into
//! a sheet. The sheet belongs to the function of that task, which needs no lock; and since results come in
//! the order of their items, each thumbnail has its place.
//!
//! The rates in the skeleton are guesses. The report has the measured times, and what a model of the same
//! skeleton predicts with them. The sheet is written to `target/figures/thumbnails.png`.

use std::io::Cursor;
use std::path::Path;

use image::imageops::{self, FilterType};
use image::{ImageError, ImageFormat, Rgb, RgbImage};
use skel::prelude::*;

/// Width and height of a picture, and of a thumbnail, in pixels.
const PICTURE: (u32, u32) = (160, 120);
const THUMBNAIL: (u32, u32) = (48, 36);

/// How many pictures there are, and how many thumbnails stand in a row of the sheet.
const PICTURES: u32 = 120;
const ROW: u32 = 12;

pipe! {
    /// Decodes, shrinks and pastes pictures, so many a second.
    skeleton Thumbnails { task("decode", 50.0), farm(2, "shrink", 20.0), task("paste", 500.0) }
}

/// The text of a PNG file: rings around a place that moves from picture to picture.
fn file(number: u32) -> Result<Vec<u8>, ImageError> {
    let part = f64::from(number) / f64::from(PICTURES);
    let centre = (f64::from(PICTURE.0) * part, f64::from(PICTURE.1) * (0.5 + 0.4 * (12.0 * part).sin()));
    let picture = RgbImage::from_fn(PICTURE.0, PICTURE.1, |x, y| {
        let distance = (f64::from(x) - centre.0).hypot(f64::from(y) - centre.1);
        let ring = 0.5 + 0.5 * (distance / 6.0).cos();
        Rgb([255.0 * ring, 255.0 * ring * part, 255.0 * (1.0 - part)].map(|part| part as u8))
    });
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png)?;
    Ok(file.into_inner())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<Vec<u8>> = (0..PICTURES).map(file).collect::<Result<_, _>>()?;

    let mut sheet = RgbImage::new(ROW * THUMBNAIL.0, PICTURES.div_ceil(ROW) * THUMBNAIL.1);
    let mut pasted = 0;
    let report = Thumbnails::new()
        .run()
        .try_decode(|file: &[u8]| image::load_from_memory_with_format(file, ImageFormat::Png))
        .shrink(|picture| {
            imageops::resize(&picture.into_rgb8(), THUMBNAIL.0, THUMBNAIL.1, FilterType::Lanczos3)
        })
        .paste(|thumbnail| {
            let (column, row) = (pasted % ROW, pasted / ROW);
            imageops::replace(
                &mut sheet,
                &thumbnail,
                i64::from(column * THUMBNAIL.0),
                i64::from(row * THUMBNAIL.1),
            );
            pasted += 1;
        })
        .over(files.iter().map(Vec::as_slice))?;
    println!("{}", report.with_prediction()?);
    assert_eq!(report.delivered(), u64::from(PICTURES));

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/figures");
    std::fs::create_dir_all(&folder)?;
    sheet.save(folder.join("thumbnails.png"))?;
    println!("{}", folder.join("thumbnails.png").display());
    Ok(())
}
