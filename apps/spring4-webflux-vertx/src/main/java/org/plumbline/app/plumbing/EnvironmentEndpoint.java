package org.plumbline.app.plumbing;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Sql;
import org.plumbline.domain.vertx.EventLoops;
import org.springframework.boot.SpringBootVersion;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@RestController
public class EnvironmentEndpoint {
    private final EventLoops loops;
    private final Pool pool;

    EnvironmentEndpoint(EventLoops loops, Pool pool) {
        this.loops = loops;
        this.pool = pool;
    }

    @GetMapping(path = "/environment", produces = MediaType.APPLICATION_JSON_VALUE)
    public Mono<String> environment() {
        ServingThread thread = ServingThread.current();
        return pool.reading(connection -> environment(connection, thread)).map(Environment::toJson);
    }

    private Future<Environment> environment(SqlConnection connection, ServingThread thread) {
        return connection
                .preparedQuery(Sql.ENVIRONMENT)
                .mapping(org.plumbline.domain.vertx.Pool::seen)
                .execute()
                .map(rows -> loops.in(Environment.of(
                                new Component("spring-boot", SpringBootVersion.getVersion()),
                                new Component(
                                        "vertx-pg-client", org.plumbline.domain.vertx.Pool.versionOf("vertx-pg-client")),
                                thread,
                                pool.now(),
                                pool.settings(),
                                rows.iterator().next()))
                        .alsoUnderstood("pool_warm_up", pool.settings().database().warmUpWord())
                        .alsoUnderstood("pipelining", pool.settings().database().pipeliningWord()));
    }
}
