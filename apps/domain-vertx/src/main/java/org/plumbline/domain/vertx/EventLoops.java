package org.plumbline.domain.vertx;

import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.VerticleBase;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.plumbline.domain.Environment;

/** A Vert.x and its event loops, with a context on each: what is asked from outside is answered on a single loop. */
public final class EventLoops {
    private final Vertx vertx;
    private final VertxChoices choices;
    private final List<Context> contexts = new CopyOnWriteArrayList<>();
    private final Collection<String> threads = new CopyOnWriteArrayList<>();

    private EventLoops(Vertx vertx, VertxChoices choices) {
        this.vertx = vertx;
        this.choices = choices;
    }

    /** Starts Vert.x as the profile says; not to be called on one of its loops. */
    public static EventLoops start(VertxChoices choices) {
        VertxOptions options = new VertxOptions();
        if (choices.nativeTransport()) {
            options.setPreferNativeTransport(true);
        }
        if (choices.loopsPerProcessor() > 0) {
            options.setEventLoopPoolSize(choices.loopsPerProcessor() * processors());
        }
        Vertx vertx = Vertx.vertx(options);
        if (choices.nativeTransport() && !vertx.isNativeTransportEnabled()) {
            System.err.println("No native transport: " + vertx.unavailableNativeTransportCause());
        }
        EventLoops loops = new EventLoops(vertx, choices);
        vertx.deployVerticle(
                        () -> loops.new Loop(),
                        new DeploymentOptions().setInstances(options.getEventLoopPoolSize()))
                .await();
        return loops;
    }

    /** Takes the context of the loop that it was put on. */
    private final class Loop extends VerticleBase {
        @Override
        public Future<?> start() {
            contexts.add(context);
            threads.add(Thread.currentThread().getName());
            return Future.succeededFuture();
        }
    }

    public Vertx vertx() {
        return vertx;
    }

    /** One on each loop. */
    public List<Context> contexts() {
        return contexts;
    }

    VertxChoices choices() {
        return choices;
    }

    /** As the loops themselves showed: how many threads there are, and what carries bytes. */
    public Environment.Loops seen() {
        int count = (int) threads.stream().distinct().count();
        return new Environment.Loops(count, vertx.isNativeTransportEnabled() ? "native" : "nio");
    }

    /** The environment with these loops, and with the profile that they and the choices of the pool show, or with neither. */
    public Environment in(Environment environment) {
        Environment.Loops seen = seen();
        boolean isNative = "native".equals(seen.transport());
        String profile = "loops %d, transport %s".formatted(seen.count(), seen.transport());
        if (isNative && seen.count() == processors() && choices.poolOnAllLoops()) {
            profile = "tuned";
        } else if (!isNative && seen.count() == VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE && !choices.poolOnAllLoops()) {
            profile = choices.pipeliningLimit() == 0 ? "defaults" : "parity";
        }
        return environment.with(seen).alsoUnderstood("profile", profile);
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }
}
