"""Makes the two font files from the npm package inter-ui 4.1.1 (web/*.woff2): digits replaced by their tabular forms, Latin and the symbols used."""
import sys
from fontTools.ttLib import TTFont
from fontTools import subset
def run(src,dst,name):
    f=TTFont(src)
    gsub=f['GSUB'].table
    # freeze tnum (and leave zero etc.)
    m={}
    for fr in gsub.FeatureList.FeatureRecord:
        if fr.FeatureTag=='tnum':
            for li in fr.Feature.LookupListIndex:
                for st in gsub.LookupList.Lookup[li].SubTable:
                    if hasattr(st,'ExtSubTable'): st=st.ExtSubTable
                    if hasattr(st,'mapping'): m.update(st.mapping)
    print(len(m), list(m.items())[:12])
    for t in f['cmap'].tables:
        for k,v in list(t.cmap.items()):
            if v in m and (0x30 <= k <= 0x39): t.cmap[k]=m[v]
    u=list(range(0x20,0x7f))+list(range(0xa0,0x180))+[0x2009,0x200a,0x202f,0x2010,0x2011,0x2012,0x2013,0x2014,0x2018,0x2019,0x201c,0x201d,0x2022,0x2026,0x2032,0x2033,0x2080,0x2081,0x2082,0x2083,0x2084,0x2212,0x2215,0x2248,0x2260,0x2264,0x2265,0x221e,0xd7,0xb1,0x2190,0x2191,0x2192,0x2193,0x21e7,0x2318,0x2303,0x2325,0x23ce,0x25b2,0x25bc,0x25b6,0x25c0,0x25cf,0x25cb,0x25a0,0x2713,0x2717,0x3b1,0x3b2,0x3b8,0x3bc,0x394,0x3a3,0x20ac,0xfffd]
    o=subset.Options(); o.layout_features=['kern','mark','mkmk','ccmp','locl','calt','case'] ; o.hinting=False; o.name_IDs=['*']; o.glyph_names=False; o.notdef_outline=True
    s=subset.Subsetter(o); s.populate(unicodes=u); s.subset(f)
    f.flavor=None
    have=f.getBestCmap(); print('missing',[hex(c) for c in u if c not in have])
    f.save(dst)
run('package/web/Inter-Medium.woff2','Inter-Medium-tnum.ttf','Medium')
run('package/web/Inter-SemiBold.woff2','Inter-SemiBold-tnum.ttf','SemiBold')
