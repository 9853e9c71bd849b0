package org.plumbline.domain.vertx.web;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.UnaryOperator;
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
    private final EventLoops loops;
    private final Pool pool;
    private final UnaryOperator<Environment> own;

    /** {@code own} adds the settings that the variant alone has. */
    public EnvironmentEndpoint(Settings settings, EventLoops loops, Pool pool, UnaryOperator<Environment> own) {
        this.settings = settings;
        this.loops = loops;
        this.pool = pool;
        this.own = own;
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
                .map(rows -> own.apply(loops.in(Environment.of(
                                new Component("vertx", Pool.versionOf("vertx-core")),
                                new Component("vertx-pg-client", Pool.versionOf("vertx-pg-client")),
                                thread,
                                pool.now(),
                                settings,
                                rows.iterator().next()))
                        .alsoUnderstood("pool_warm_up", settings.database().warmUpWord())
                        .alsoUnderstood("pipelining", settings.database().pipeliningWord())));
    }
}
