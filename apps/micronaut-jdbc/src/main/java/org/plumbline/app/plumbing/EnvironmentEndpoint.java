package org.plumbline.app.plumbing;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.data.jdbc.runtime.JdbcOperations;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.transaction.annotation.ReadOnly;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.sql.DatabaseMetaData;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Sql;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Controller("/environment")
@ExecuteOn(Workers.NAME)
public class EnvironmentEndpoint {
    private final JdbcOperations jdbc;
    private final Statements statements;
    private final Pool pool;
    private final EventLoopGroup loops;

    EnvironmentEndpoint(JdbcOperations jdbc, Statements statements, Pool pool, EventLoopGroup loops) {
        this.jdbc = jdbc;
        this.statements = statements;
        this.pool = pool;
        this.loops = loops;
    }

    @Get
    @Produces(MediaType.APPLICATION_JSON)
    @ReadOnly
    public String environment() {
        Environment.ServingThread thread = Environment.ServingThread.current();
        return Environment.of(
                        new Component("micronaut", VersionUtils.getMicronautVersion()),
                        driver(),
                        thread,
                        pool.now(),
                        pool.settings(),
                        statements
                                .query(Sql.ENVIRONMENT, Environment.Database::seen)
                                .getFirst())
                .with(loops())
                .alsoUnderstood("threads", thread.virtual() ? "virtual" : "platform")
                .toJson();
    }

    private Component driver() {
        return jdbc.execute(connection -> {
            DatabaseMetaData about = connection.getMetaData();
            return new Component(about.getDriverName(), about.getDriverVersion());
        });
    }

    /** The loops that take connections. What a transport other than Java's is called differs by the system. */
    private Environment.Loops loops() {
        boolean isNio = loops instanceof IoEventLoopGroup group && group.isIoType(NioIoHandler.class);
        return Environment.Loops.of(loops, !isNio);
    }
}
