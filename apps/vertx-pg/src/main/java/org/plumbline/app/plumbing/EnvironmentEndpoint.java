package org.plumbline.app.plumbing;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.SqlConnection;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Settings;
import org.plumbline.domain.Sql;
import org.plumbline.domain.vertx.EventLoops;
import org.plumbline.domain.vertx.Pool;

/** {@code GET /environment}: what runs, as seen from inside. */
public final class EnvironmentEndpoint {
    private final Settings settings;
    private final Spin spin;
    private final EventLoops loops;
    private final Pool pool;

    public EnvironmentEndpoint(Settings settings, Spin spin, EventLoops loops, Pool pool) {
        this.settings = settings;
        this.spin = spin;
        this.loops = loops;
        this.pool = pool;
    }

    public void mount(Router router) {
        router.get("/environment").handler(this::environment);
    }

    private void environment(RoutingContext context) {
        ServingThread thread = ServingThread.current();
        pool.reading(connection -> environment(connection, thread))
                .onSuccess(environment -> context.response()
                        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                        .end(environment.toJson()))
                .onFailure(context::fail);
    }

    private Future<Environment> environment(SqlConnection connection, ServingThread thread) {
        return connection
                .preparedQuery(Sql.ENVIRONMENT)
                .mapping(Pool::seen)
                .execute()
                .map(rows -> loops.in(Environment.of(
                                new Component("vertx", Pool.versionOf("vertx-core")),
                                new Component("vertx-pg-client", Pool.versionOf("vertx-pg-client")),
                                thread,
                                pool.now(),
                                settings,
                                rows.iterator().next()))
                        .alsoUnderstood("pool_warm_up", settings.database().warmUpWord())
                        .alsoUnderstood("spin", spin.word()));
    }
}
