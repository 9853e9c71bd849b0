package org.plumbline.app;

import com.fasterxml.jackson.databind.DeserializationFeature;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.jackson.DatabindCodec;
import io.vertx.ext.web.Router;
import java.util.function.UnaryOperator;
import org.plumbline.app.companies.CompanyEndpoint;
import org.plumbline.app.companies.CompanyRepository;
import org.plumbline.app.companies.CompanyService;
import org.plumbline.app.fruits.FruitEndpoint;
import org.plumbline.app.fruits.FruitRepository;
import org.plumbline.app.fruits.FruitService;
import org.plumbline.app.hello.Greeter;
import org.plumbline.app.hello.HelloEndpoint;
import org.plumbline.app.plumbing.Transactions;
import org.plumbline.app.zipcode.ZipCodeEndpoint;
import org.plumbline.app.zipcode.ZipCodeRepository;
import org.plumbline.app.zipcode.ZipCodeService;
import org.plumbline.domain.Settings;
import org.plumbline.domain.vertx.EventLoops;
import org.plumbline.domain.vertx.Pool;
import org.plumbline.domain.vertx.VertxChoices;
import org.plumbline.domain.vertx.web.EnvironmentEndpoint;
import org.plumbline.domain.vertx.web.HealthEndpoint;
import org.plumbline.domain.vertx.web.Problems;
import org.plumbline.domain.vertx.web.Servers;

/** An HTTP server beside every event loop, whose handlers run on virtual threads, and one pool of connections for all. */
public final class Application extends VerticleBase {
    private final Settings settings;
    private final EventLoops loops;
    private final Pool pool;
    private final Greeter greeter;

    private Application(Settings settings, EventLoops loops, Pool pool, Greeter greeter) {
        this.settings = settings;
        this.loops = loops;
        this.pool = pool;
        this.greeter = greeter;
    }

    public static void main(String[] args) {
        Settings settings = Settings.from(System.getenv());
        // Unknown keys of a request are ignored, as everywhere else.
        DatabindCodec.mapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

        EventLoops loops = EventLoops.start(VertxChoices.from(System.getenv()));
        Pool pool = new Pool(loops, settings.database());
        Greeter greeter = new Greeter();
        // A server on every loop, which carries its bytes: a loop without one would have nothing to do.
        DeploymentOptions everyLoop = new DeploymentOptions()
                .setThreadingModel(ThreadingModel.VIRTUAL_THREAD)
                .setInstances(loops.contexts().size());
        pool.fill()
                .compose(filled -> loops.vertx()
                        .deployVerticle(() -> new Application(settings, loops, pool, greeter), everyLoop))
                .onSuccess(id -> System.out.println(
                        "Listening on http://" + settings.httpHost() + ":" + settings.httpPort()))
                .onFailure(failure -> {
                    System.err.println("Could not start: " + failure);
                    loops.vertx().close().onComplete(closed -> System.exit(1));
                });
    }

    @Override
    public Future<?> start() {
        Router router = Router.router(vertx);
        Transactions transactions = new Transactions(pool);
        Problems.mount(router);
        new HealthEndpoint(pool).mount(router);
        new EnvironmentEndpoint(settings, loops, pool, UnaryOperator.identity()).mount(router);
        new HelloEndpoint(greeter).mount(router);
        new FruitEndpoint(new FruitService(transactions, new FruitRepository())).mount(router);
        new ZipCodeEndpoint(new ZipCodeService(transactions, new ZipCodeRepository())).mount(router);
        new CompanyEndpoint(new CompanyService(transactions, new CompanyRepository())).mount(router);
        return Servers.create(vertx, settings.httpTls())
                .requestHandler(router)
                .listen(settings.httpPort(), settings.httpHost());
    }
}
