package org.plumbline.app.plumbing;

import java.sql.DatabaseMetaData;
import org.plumbline.domain.Environment;
import org.springframework.boot.SpringBootVersion;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@RestController
public class EnvironmentEndpoint {
    private final JdbcTemplate jdbc;
    private final Pool pool;
    private final Tuning tuning;

    EnvironmentEndpoint(JdbcTemplate jdbc, Pool pool, Tuning tuning) {
        this.jdbc = jdbc;
        this.pool = pool;
        this.tuning = tuning;
    }

    @GetMapping(path = "/environment", produces = MediaType.APPLICATION_JSON_VALUE)
    @Transactional(readOnly = true)
    public String environment() {
        String sql = pool.settings().database().engine().environment();
        Environment.Database database =
                jdbc.queryForObject(sql, (row, number) -> Environment.Database.seen(row));
        Environment.ServingThread thread = Environment.ServingThread.current();
        Environment environment = Environment.of(
                        new Environment.Component("spring-boot", SpringBootVersion.getVersion()),
                        driver(),
                        thread,
                        pool.now(),
                        pool.settings(),
                        database)
                .alsoUnderstood("threads", thread.virtual() ? "virtual" : "platform")
                .alsoUnderstood("pool_warm_up", pool.settings().database().warmUpWord());
        return tuning.in(environment, thread.virtual()).toJson();
    }

    private Environment.Component driver() {
        return jdbc.execute((ConnectionCallback<Environment.Component>) connection -> {
            DatabaseMetaData about = connection.getMetaData();
            return new Environment.Component(about.getDriverName(), about.getDriverVersion());
        });
    }
}
