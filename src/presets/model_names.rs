//! Models as people call them, in an order people look for them in, and found however they are spelt.

use crate::format;
use std::cmp::Ordering;

/// Beginnings of catalogue names whose capitals follow no rule, longest first among those that begin alike.
const STEMS: [(&str, &str); 132] = [
    ("convnextv", "ConvNeXtV"),
    ("convnext", "ConvNeXt"),
    ("cs3sedarknet", "CS3SEDarknet"),
    ("cs3darknet", "CS3Darknet"),
    ("cspdarknet", "CSPDarknet"),
    ("cspresnext", "CSPResNeXt"),
    ("cspresnet", "CSPResNet"),
    ("darknet", "Darknet"),
    ("densenet", "DenseNet"),
    ("deeplabv", "DeepLabV"),
    ("deeplab", "DeepLab"),
    ("deepseek", "DeepSeek"),
    ("deberta", "DeBERTa"),
    ("distilbert", "DistilBERT"),
    ("modernbert", "ModernBERT"),
    ("roberta", "RoBERTa"),
    ("bert", "BERT"),
    ("electra", "ELECTRA"),
    ("minilm", "MiniLM"),
    ("xlm", "XLM"),
    ("mbart", "mBART"),
    ("bart", "BART"),
    ("bloom", "BLOOM"),
    ("bigscience", "BigScience"),
    ("chatglm", "ChatGLM"),
    ("glm", "GLM"),
    ("dbrx", "DBRX"),
    ("dlrm", "DLRM"),
    ("dcnv", "DCNv"),
    ("gpunet", "GPUNet"),
    ("gpt", "GPT"),
    ("internlm", "InternLM"),
    ("maxtext", "MaxText"),
    ("tinyllama", "TinyLlama"),
    ("stablelm", "StableLM"),
    ("smollm", "SmolLM"),
    ("olmoe", "OLMoE"),
    ("olmo", "OLMo"),
    ("opt", "OPT"),
    ("mpt", "MPT"),
    ("moe", "MoE"),
    ("vtrain", "vTrain"),
    ("hrnet", "HRNet"),
    ("hgnetv", "HGNetV"),
    ("hgnet", "HGNet"),
    ("ncf", "NCF"),
    ("gcn", "GCN"),
    ("rgat", "RGAT"),
    ("gnmt", "GNMT"),
    ("rnnt", "RNN-T"),
    ("tft", "TFT"),
    ("lstm", "LSTM"),
    ("wav2vec2", "wav2vec 2.0"),
    ("hifigan", "HiFi-GAN"),
    ("cyclegan", "CycleGAN"),
    ("waveglow", "WaveGlow"),
    ("quartznet", "QuartzNet"),
    ("fastpitch", "FastPitch"),
    ("fastspeech", "FastSpeech"),
    ("squeezenet", "SqueezeNet"),
    ("shufflenet", "ShuffleNet"),
    ("mobilenetv", "MobileNetV"),
    ("mobilenet", "MobileNet"),
    ("mobilevitv", "MobileViTV"),
    ("mobilevit", "MobileViT"),
    ("mobileone", "MobileOne"),
    ("mnasnet", "MNASNet"),
    ("efficientnetv", "EfficientNetV"),
    ("efficientnet", "EfficientNet"),
    ("efficientdet", "EfficientDet"),
    ("efficientformerv", "EfficientFormerV"),
    ("efficientformer", "EfficientFormer"),
    ("efficientvit", "EfficientViT"),
    ("ecaresnext", "ECA-ResNeXt"),
    ("ecaresnet", "ECA-ResNet"),
    ("seresnext", "SE-ResNeXt"),
    ("seresnet", "SE-ResNet"),
    ("skresnext", "SK-ResNeXt"),
    ("skresnet", "SK-ResNet"),
    ("tresnet", "TResNet"),
    ("resnetaa", "ResNetAA"),
    ("resnetblur", "ResNetBlur"),
    ("resnetrs", "ResNetRS"),
    ("resnetv", "ResNetV"),
    ("resnest", "ResNeSt"),
    ("resnext", "ResNeXt"),
    ("resnet", "ResNet"),
    ("resmlp", "ResMLP"),
    ("res2net", "Res2Net"),
    ("res2next", "Res2NeXt"),
    ("regnetv", "RegNetV"),
    ("regnetx", "RegNetX"),
    ("regnety", "RegNetY"),
    ("regnetz", "RegNetZ"),
    ("repvgg", "RepVGG"),
    ("repvit", "RepViT"),
    ("rexnet", "ReXNet"),
    ("retinanet", "RetinaNet"),
    ("googlenet", "GoogLeNet"),
    ("ghostnetv", "GhostNetV"),
    ("ghostnet", "GhostNet"),
    ("alexnet", "AlexNet"),
    ("caffenet", "CaffeNet"),
    ("vovnet", "VoVNet"),
    ("nfnet", "NFNet"),
    ("vnet", "V-Net"),
    ("nnunet", "nnU-Net"),
    ("unet3plus", "U-Net 3+"),
    ("unet", "U-Net"),
    ("fcn", "FCN"),
    ("fpn", "FPN"),
    ("rpn", "RPN"),
    ("rfcn", "R-FCN"),
    ("rcnn", "R-CNN"),
    ("detr", "DETR"),
    ("ssd", "SSD"),
    ("yolov", "YOLOv"),
    ("yolo", "YOLO"),
    ("vgg", "VGG"),
    ("dla", "DLA"),
    ("dpn", "DPN"),
    ("flexivit", "FlexiViT"),
    ("fastvit", "FastViT"),
    ("crossvit", "CrossViT"),
    ("gcvit", "GCViT"),
    ("samvit", "SAM-ViT"),
    ("davit", "DaViT"),
    ("levit", "LeViT"),
    ("mvitv", "MViTv"),
    ("maxvit", "MaxViT"),
    ("vit", "ViT"),
    ("dit", "DiT"),
];
/// The same, of those that would not fit the table's alphabet of nets.
const MORE_STEMS: [(&str, &str); 14] = [
    ("deit", "DeiT"),
    ("beitv", "BEiTv"),
    ("beit", "BEiT"),
    ("cait", "CaiT"),
    ("coatnet", "CoAtNet"),
    ("coat", "CoaT"),
    ("xcit", "XCiT"),
    ("volo", "VOLO"),
    ("pit", "PiT"),
    ("eva", "EVA"),
    ("pvt", "PVT"),
    ("tnt", "TNT"),
    ("mt5", "mT5"),
    ("t5", "T5"),
];
/// Sizes and variants that stand behind a hyphen: `BERT-Large`, `ViT-Base`.
const SIZES: [&str; 16] = [
    "nano", "tiny", "small", "base", "medium", "large", "xlarge", "xl", "xxl", "huge", "giant",
    "gigantic", "atto", "femto", "pico", "mini",
];
/// Short words that are initials.
const INITIALS: [&str; 14] = [
    "tf", "nf", "tv", "dm", "jx", "ig", "ns", "se", "gc", "bn", "gn", "xl", "xxl", "gap",
];
/// Families whose versions follow their name without a hyphen, and whose size is set apart: `Qwen3 8B`.
const SPOKEN: [&str; 14] = [
    "qwen",
    "falcon",
    "smollm",
    "baichuan",
    "internlm",
    "chatglm",
    "nemotron",
    "tacotron",
    "yolov",
    "deit",
    "eva",
    "dla",
    "fastspeech",
    "unet",
];

/// A catalogue name as people write it: `llama-3-8b` → `Llama 3 8B`, `resnet50` → `ResNet-50`, `bert-large` →
/// `BERT-Large`. Names with underscores are those of a library and stay as they are.
pub fn label_of(name: &str) -> String {
    if name.contains(['_', '/']) {
        return name.to_owned();
    }
    let mut label = String::new();
    let mut is_net = false;
    for (i, word) in name.split('-').enumerate() {
        let (text, named) = written(word);
        if i > 0 {
            let hyphen = is_net && (SIZES.contains(&word) || is_letter_and_digits(word));
            label.push(if hyphen { '-' } else { ' ' });
        }
        is_net = named;
        label.push_str(&text);
    }
    label
}

/// A word of a name, and whether it is a net that a size may be joined to.
fn written(word: &str) -> (String, bool) {
    let sized = word.starts_with(|c: char| c.is_ascii_digit())
        && word.ends_with(['b', 'm', 'k', 't'])
        && word[..word.len() - 1]
            .chars()
            .all(|c| c.is_ascii_digit() || c == '.' || c == 'x');
    if sized {
        let cut = word.len() - 1;
        return (
            format!("{}{}", &word[..cut], word[cut..].to_uppercase()),
            false,
        );
    }
    if INITIALS.contains(&word) {
        return (word.to_uppercase(), false);
    }
    let stem = STEMS
        .iter()
        .chain(&MORE_STEMS)
        .find(|(stem, _)| word.starts_with(stem) && !is_longer_word(word, stem));
    let Some((stem, text)) = stem else {
        let spoken = SPOKEN.iter().any(|s| word.starts_with(s));
        let upper = is_letter_and_digits(word) && !word.starts_with('v');
        return if upper && !spoken {
            (word.to_uppercase(), false)
        } else {
            (format::capitalised(word), word.len() > 2)
        };
    };
    let rest = &word[stem.len()..];
    let joins = rest.starts_with(|c: char| c.is_ascii_digit())
        && !text.ends_with(['V', 'v', '0', '+'])
        && !SPOKEN.contains(stem);
    let hyphen = if joins { "-" } else { "" };
    (format!("{text}{hyphen}{rest}"), true)
}

/// Whether letters go on after a stem: `pithy` is no `pit`.
fn is_longer_word(word: &str, stem: &str) -> bool {
    word[stem.len()..]
        .chars()
        .take(3)
        .filter(|c| c.is_ascii_lowercase())
        .count()
        > 1
}

/// `b0`, `l16`, `a3b`: a letter with a number.
fn is_letter_and_digits(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|c| c.is_ascii_lowercase())
        && letters.next().is_some_and(|c| c.is_ascii_digit())
        && word.len() <= 4
}

/// Letters and digits alone, in lower case: `ResNet-50`, `resnet 50` and `resnet50` are one.
pub fn squeezed(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The order of a list: words by the alphabet, numbers by size, `125M` before `1.3B`.
pub fn order(a: &str, b: &str) -> Ordering {
    let (a, b) = (pieces(a), pieces(b));
    for (a, b) in a.iter().zip(&b) {
        let here = match (a, b) {
            (Piece::Number(a), Piece::Number(b)) => a.total_cmp(b),
            (Piece::Word(a), Piece::Word(b)) => a.cmp(b),
            // A name without a number is the plain one of its family.
            (Piece::Number(_), Piece::Word(_)) => Ordering::Less,
            (Piece::Word(_), Piece::Number(_)) => Ordering::Greater,
        };
        if here != Ordering::Equal {
            return here;
        }
    }
    a.len().cmp(&b.len())
}

enum Piece {
    Word(String),
    Number(f64),
}

fn pieces(text: &str) -> Vec<Piece> {
    let text = text.to_lowercase();
    let mut out = Vec::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let belongs = |c: char| {
            if is_number {
                c.is_ascii_digit() || c == '.'
            } else {
                c.is_alphabetic()
            }
        };
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        if piece.is_empty() {
            // Spaces and hyphens part words and count for nothing themselves.
            rest = &rest[first.len_utf8()..];
        } else if is_number {
            let value: f64 = piece.trim_end_matches('.').parse().unwrap_or(0.0);
            let mut after = rest.chars();
            let scale = match after.next() {
                Some('m') => 1e6,
                Some('b') => 1e9,
                Some('t') => 1e12,
                _ => 1.0,
            };
            let is_size = scale > 1.0 && !after.next().is_some_and(char::is_alphanumeric);
            if is_size {
                rest = &rest[1..];
            }
            out.push(Piece::Number(value * if is_size { scale } else { 1.0 }));
        } else {
            out.push(Piece::Word(piece.to_owned()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_people_write_them() {
        for (name, label) in [
            ("llama-3-8b", "Llama 3 8B"),
            ("llama-3.1-405b", "Llama 3.1 405B"),
            ("resnet50", "ResNet-50"),
            ("resnet50d", "ResNet-50d"),
            ("bert-large", "BERT-Large"),
            ("roberta-base", "RoBERTa-Base"),
            ("distilbert-base", "DistilBERT-Base"),
            ("gpt2", "GPT-2"),
            ("gpt3-1.3b", "GPT-3 1.3B"),
            ("opt-125m", "OPT 125M"),
            ("qwen3-8b", "Qwen3 8B"),
            ("qwen3-30b-a3b", "Qwen3 30B A3B"),
            ("mixtral-8x7b", "Mixtral 8x7B"),
            ("vgg16", "VGG-16"),
            ("densenet121", "DenseNet-121"),
            ("efficientnet-b0", "EfficientNet-B0"),
            ("mobilenetv2-120d", "MobileNetV2 120d"),
            ("dlrm-small", "DLRM-Small"),
            ("vit-large-patch16-224", "ViT-Large Patch16 224"),
            ("t5-base", "T5-Base"),
            ("whisper-large-v3-turbo", "Whisper-Large-V3 Turbo"),
            ("tf-efficientnet-b1-ns", "TF EfficientNet-B1 NS"),
            ("gpt2-xl", "GPT-2-XL"),
            ("yolov5s", "YOLOv5s"),
            ("openai/whisper_x", "openai/whisper_x"),
        ] {
            assert_eq!(label_of(name), label, "{name}");
        }
    }

    #[test]
    fn a_family_is_listed_by_version_then_size() {
        let mut names = [
            "Llama 3 70B",
            "GPT-3 1.3B",
            "Llama 2 13B",
            "ResNet-101",
            "GPT-3 125M",
            "Llama 3 8B",
            "ResNet-50",
            "Llama 2 7B",
        ];
        names.sort_by(|a, b| order(a, b));
        assert_eq!(
            names,
            [
                "GPT-3 125M",
                "GPT-3 1.3B",
                "Llama 2 7B",
                "Llama 2 13B",
                "Llama 3 8B",
                "Llama 3 70B",
                "ResNet-50",
                "ResNet-101",
            ]
        );
    }

    #[test]
    fn spelling_does_not_hide_a_name() {
        for text in ["resnet50", "ResNet-50", "resnet 50", "RESNET_50"] {
            assert_eq!(squeezed(text), "resnet50");
        }
    }
}
