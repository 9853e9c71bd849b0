package org.plumbline.app;

import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One event loop for queries to be asked on: what is asked from outside is answered on a single one. */
final class Loop extends VerticleBase {
    private final Collection<Context> contexts;

    private Loop(Collection<Context> contexts) {
        this.contexts = contexts;
    }

    /** As many contexts as asked for, each on a loop of its own. */
    static Future<List<Context>> contexts(Vertx vertx, int loops) {
        List<Context> contexts = new CopyOnWriteArrayList<>();
        return vertx.deployVerticle(() -> new Loop(contexts), new DeploymentOptions().setInstances(loops))
                .map(deployed -> contexts);
    }

    @Override
    public Future<?> start() {
        contexts.add(context);
        return Future.succeededFuture();
    }
}
