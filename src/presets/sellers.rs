//! What sellers of accelerator hours are called by people; files keep their keys.

/// Keys and names.
const NAMES: [(&str, &str); 27] = [
    ("aws", "AWS"),
    ("azure", "Azure"),
    ("coreweave", "CoreWeave"),
    ("cr8dl", "CR8DL"),
    ("crusoe", "Crusoe"),
    ("cudo", "CUDO Compute"),
    ("dataoorts", "Dataoorts"),
    ("digitalocean", "DigitalOcean"),
    ("exoscale", "Exoscale"),
    ("fluidstack", "Fluidstack"),
    ("gcp", "Google Cloud"),
    ("hyperstack", "Hyperstack"),
    ("jarvislabs", "JarvisLabs"),
    ("lambda", "Lambda"),
    ("latitude.sh", "Latitude.sh"),
    ("meta", "Meta"),
    ("nebius", "Nebius"),
    ("novonimbus", "NovoNimbus"),
    ("oblivus cloud", "Oblivus Cloud"),
    ("oci", "Oracle Cloud"),
    ("ovhcloud", "OVHcloud"),
    ("paperspace", "Paperspace"),
    ("runpod", "Runpod"),
    ("scaleway", "Scaleway"),
    ("seeweb", "Seeweb"),
    ("vast", "Vast.ai"),
    ("verda (datacrunch)", "Verda (DataCrunch)"),
];

/// The name of a seller; one that has none here is called by its key.
pub fn seller_label(key: &str) -> &str {
    let known = NAMES.iter().find(|(own, _)| *own == key);
    known.map_or(key, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Catalogue;

    #[test]
    fn every_seller_has_a_name_and_is_found_by_it() {
        let catalogue = Catalogue::shipped().unwrap();
        for key in catalogue.providers() {
            let name = seller_label(key);
            assert!(name.starts_with(char::is_uppercase), "{key}");
            assert_eq!(catalogue.provider(name).ok(), Some(key), "{name}");
        }
        assert_eq!(seller_label("my own cloud"), "my own cloud");
    }
}
