/* Hashes name cells in results for good: those of old results must be found
 * again.  These were written down once and never change; what a new field adds
 * to the hashed text is nothing where the field has its usual value. */
#include "harness/cell/cell_testing.h"

static const struct {
    const char *hash, *words;
} golden[] = {
    {"651fbe0a5ab057ba", "kernel=null scheme=ss prefetch=off"},
    {"9c9c165fda5dbbbc", "kernel=null:size=1000 scheme=static prefetch=off"},
    {"c152e0655b46651f", "kernel=mandelbrot scheme=gss prefetch=off"},
    {"2936499e4943b19b", "kernel=mandelbrot:size=64,maxiter=50,axis=im "
                         "scheme=gss:min=2 threads=4 prefetch=off"},
    {"313b27fd7dedd08f", "kernel=adjoint:size=100 scheme=tss layout=2x1 "
                         "collect=master"},
    {"6c9854fe70fc9ca8",
     "kernel=adjoint:size=100 scheme=tss layout=2x1 collect=shared"},
    {"6c9854fe70fc9ca8", "kernel=adjoint:size=100 scheme=tss layout=2x1"},
    {"a45b78e83b0a76ef",
     "kernel=matmul:tasks=100,seed=3 scheme=fac2 layout=3x2 "
     "collect=master"},
    {"28675cc79ae455b1", "kernel=heat scheme=css:chunk=10"},
    {"4e40c70ac6dd56fa", "kernel=heat:rows=100,cols=100 scheme=static "
                         "layout=4x1 protocol=subproblem"},
    {"783b5b4fd11f1211", "kernel=heat:steps=4 scheme=tss ranks=2"},
    {"f5beb7a42ed4431c",
     "kernel=heat:steps=4 scheme=tss ranks=2 placement=replan"},
    {"33b1a9b1b3c162a1",
     "kernel=floyd-steinberg:rows=100,cols=200 scheme=fss sync_interval=50"},
    {"7c34f57c6d92c99d", "kernel=heat scheme=gss sync_interval=auto"},
    {"49e4a626bedb2392", "kernel=heat scheme=gss sync_interval=andronikos"},
    {"95a26a75a1b4c7ad",
     "kernel=heat scheme=gss sync_interval=chen-xue layout=2x2"},
    {"651fbe0a5ab057ba",
     "kernel=null scheme=ss sync_interval=auto prefetch=off"},
    {"9e469503de1adfbc", "kernel=null scheme=ss threads=2 prefetch=off"},
    {"13400cb4b2e39cef", "kernel=null scheme=ss layout=2x2 "
                         "collect=master"},
    {"64646add28d391d3", "kernel=null scheme=ss layout=2x2 hierarchy=node "
                         "collect=master"},
    {"6477e7a7b90ab8b0", "kernel=null scheme=ss layout=8x1 hierarchy=2x2 "
                         "collect=master"},
    {"ef6c34eee6740bb4", "kernel=null scheme=ss layout=1x4 hierarchy=02xnode"},
    {"d606d6a4bed9eeb6", "kernel=null scheme=gss/static layout=4x2 hierarchy=2 "
                         "collect=master"},
    {"ecfe85d291327b0e",
     "kernel=null scheme=fss/awf-c layout=4x2 hierarchy=node "
     "collect=master"},
    {"1087e353cec9300d", "kernel=null scheme=ss layout=4x1 master=dedicated "
                         "collect=master"},
    {"6bf4784f9d8e0f94", "kernel=null scheme=ss workers=12 threads=2 "
                         "master=dedicated hierarchy=2x2 "
                         "collect=master"},
    {"f7b9c3657842dcc1", "kernel=null scheme=ss workers=8 threads=2 "
                         "collect=master"},
    {"514990807d3862a5",
     "kernel=null scheme=ss layout=2x2 transport=window prefetch=off"},
    {"49025c0127103a02",
     "kernel=null scheme=ss layout=2x2 transport=window window=rma"},
    {"bd959bd28ed53c0e",
     "kernel=null scheme=ss layout=2x2 transport=window window=shared "
     "prefetch=off"},
    {"24976871f54f05e3",
     "kernel=null scheme=gss layout=2x2 transport=window hierarchy=node"},
    {"d7de6f720dddeb3a", "kernel=null scheme=ss transport=steal"},
    {"a6e91784ba96b8e7",
     "kernel=null scheme=css:chunk=4 transport=steal layout=2x2 victim=near"},
    {"0d364e8d9140646a",
     "kernel=null scheme=gss transport=steal layout=2x2 victim=random"},
    {"239381be3419e0c5",
     "kernel=null scheme=static transport=openmp threads=4"},
    {"6eb995fbf07cabaf", "kernel=null scheme=dynamic threads=4"},
    {"94015e1ef90574e7", "kernel=null scheme=dynamic:chunk=8 transport=openmp "
                         "threads=4 openmp=libomp"},
    {"c8bd833a6b284e8d",
     "kernel=null scheme=guided layout=2x2 transport=openmp openmp=libgomp"},
    {"db14b76be2a9405f", "kernel=adjoint scheme=ss layout=2x1 collect=local"},
    {"1ab5145c2d5b98b8", "kernel=adjoint scheme=ss layout=2x1 prefetch=off "
                         "collect=master"},
    {"419272d02c5b66d0", "kernel=null scheme=ss layout=2x1 bind=none "
                         "collect=master"},
    {"1b52fa1392e578a6", "kernel=null scheme=ss layout=2x1 bind=scatter "
                         "collect=master"},
    {"e5c971e3e667b80a", "kernel=null scheme=ss layout=2x1 bind=0,1,2,8 "
                         "collect=master"},
    {"e1b8ca9eceab7570", "kernel=null scheme=ss layout=2x2 smt=on "
                         "collect=master"},
    {"9e3115266d75f8cd", "kernel=null scheme=ss layout=2x2 rank_per=socket "
                         "collect=master"},
    {"608b64076c131dd9",
     "kernel=null scheme=ss layout=2x2 rank_per=numa memory=bind "
     "collect=master"},
    {"13400cb4b2e39cef", "kernel=null scheme=ss layout=2x2 rank_per=node "
                         "collect=master"},
    {"597c29ad6466ed68", "kernel=null scheme=ss layout=2x2 timing=chunk "
                         "collect=master"},
    {"b16b3b748a920f36", "kernel=null scheme=ss layout=2x2 min_chunk=7 "
                         "collect=master"},
    {"dccf7d4e49f1346c",
     "kernel=null scheme=wf threads=4 power=1,1,2,2 prefetch=off"},
    {"5fb7fd2e4c5b65f5",
     "kernel=null scheme=wf threads=4 power=3:0.5,1/3 prefetch=off"},
    {"0c112523af2ad8fc",
     "kernel=null scheme=wf threads=4 power=measured prefetch=off"},
    {"99b7de002dbf4aaf",
     "kernel=null scheme=dtss threads=4 power=4:3 prefetch=off"},
    {"c3ddfaef0c97af57", "kernel=null scheme=dtss-acp:scale=10 threads=4 "
                         "load=w0,w2:1 prefetch=off"},
    {"134233cfb3608ef5",
     "kernel=null scheme=ss threads=4 load=w0-w1:2,w3 prefetch=off"},
    {"051dd2cb538da617", "kernel=adjoint scheme=ss layout=4x1 "
                         "perturb=stop:worker=1,at=0.3,seconds=0.5 "
                         "collect=master"},
    {"6057a5cb4afc5d57", "kernel=adjoint scheme=ss layout=4x1 "
                         "perturb=delay:workers=2,factor=3+stop:at=1 "
                         "collect=master"},
    {"f446a2403323e0d9",
     "kernel=adjoint scheme=ss layout=4x1 perturb=gone:at=0.2 reissue=on"},
    {"ff3c0a12ca474703", "kernel=adjoint scheme=ss layout=4x1 reissue=4.5"},
    {"1eea9e76eb518ed5", "kernel=adjoint scheme=ss threads=4 reissue=1.1"},
    {"cd396c1c56225605", "kernel=matmul scheme=ss layout=3x1 data=sent "
                         "collect=master"},
    {"73f1447fe0174219", "kernel=matmul scheme=lp-adaptive layout=3x1"},
    {"8d75a0ec7a3da12d", "kernel=adjoint scheme=single-round layout=3x1"},
    {"509537a920b9f725", "kernel=adjoint scheme=lp-fixed layout=3x1 "
                         "master=dedicated collect=local"},
    {"e20fc5bc7bb2fd5c",
     "kernel=adjoint scheme=multi-installment layout=3x1 prefetch=off"},
    {"bc9cdcf4535cc69d", "kernel=adjoint scheme=auto threads=4 prefetch=off"},
    {"c1fa4069df4a70b1", "kernel=adjoint scheme=auto:schemes=ss+gss layout=4x1 "
                         "collect=master"},
    {"27bd8db5f4bea1d5", "kernel=adjoint scheme=auto:by=trial,repetitions=100 "
                         "layout=1x2 prefetch=off"},
    {"7e40fb4f0c3bfbd2", "kernel=heat scheme=auto threads=2"},
    {"e6af9a98842098cc",
     "kernel=heat scheme=auto threads=2 sync_interval=50 hierarchy=2"},
    {"80aa0599e5a91e4e",
     "kernel=heat scheme=auto:by=trial,intervals=100+200,schemes=tss+static "
     "threads=2"},
    {"92f1dcd0d26c7e23", "kernel=adjoint scheme=tss "
                         "platform=bench/platforms/ranger.xml workers=64"},
    {"cf98164f1a331bc3", "kernel=adjoint scheme=tss platform=a.xml workers=64 "
                         "cp=1e-9 request_cost=0"},
    {"4e9d5d2146532a67",
     "kernel=adjoint scheme=tss platform=a.xml workers=64 result_bytes=800000"},
    {"767ac8b25c9e310d",
     "kernel=heat scheme=tss platform=a.xml layout=8x2 boundary_bytes=16"},
    {"651fbe0a5ab057ba", "kernel=null scheme=ss cp=1e-9 prefetch=off"},
    {"3f1269f12a20310d", "kernel=adjoint scheme=ss platform=a.xml layout=8x1 "
                         "perturb=network:latency=10"},
    {"5ea7c1d271e10180",
     "kernel=adjoint scheme=awf layout=2x2 placement=replan "
     "collect=master"},
    {"33e3ac219a6724b3",
     "kernel=adjoint scheme=af layout=2x2 min_chunk=2 timing=chunk "
     "bind=scatter smt=on rank_per=socket prefetch=off perturb=delay:factor=2 "
     "collect=master"},
    {"f01009c6b8571b35",
     "kernel=adjoint scheme=ss layout=3x1 prefetch=off answer=collected"},
    {"616f01023385554a",
     "kernel=heat:steps=3 scheme=wf platform=this-machine threads=2 power=1,2 "
     "load=w1:1 sync_interval=auto placement=replan min_chunk=3"},
    {"f8b6075922e451ac", "kernel=null scheme=ss"},
    {"bd8d1478b00b8e87", "kernel=mandelbrot scheme=gss"},
    {"205393e42ebf2042", "kernel=null scheme=wf threads=4 power=1,1,2,2"},
};

static void hashes_never_change(void **unused)
{
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        char copy[512], *words[32] = {NULL}, *rest = copy;
        int n = 0;
        snprintf(copy, sizeof(copy), "%s", golden[i].words);
        while (n < 31 && (words[n] = strsep(&rest, " ")) != NULL)
            n++;
        struct cell cell = good((const char *const *)words);
        if (strcmp(cell.hash, golden[i].hash) != 0)
            fail_msg("%s: %s, it was %s", golden[i].words, cell.hash,
                     golden[i].hash);
    }
}

TESTS(cmocka_unit_test(hashes_never_change))
