package org.plumbline.app.plumbing;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.transaction.annotation.ReadOnly;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Sql;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@Controller("/environment")
@ExecuteOn(Workers.NAME)
public class EnvironmentEndpoint {
    private final CurrentConnection connection;
    private final Pool pool;
    private final Tuning tuning;
    private final EventLoopGroup loops;

    EnvironmentEndpoint(CurrentConnection connection, Pool pool, Tuning tuning, EventLoopGroup loops) {
        this.connection = connection;
        this.pool = pool;
        this.tuning = tuning;
        this.loops = loops;
    }

    @Get
    @Produces(MediaType.APPLICATION_JSON)
    @ReadOnly
    public String environment() {
        Environment.ServingThread thread = Environment.ServingThread.current();
        return connection.ask(this::told)
                .with(loops())
                .alsoUnderstood("profile", tuning.profile())
                .alsoUnderstood("pool_warm_up", pool.settings().database().warmUpWord())
                .alsoUnderstood("threads", thread.virtual() ? "virtual" : "platform")
                .toJson();
    }

    private Environment told(Connection connection) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(Sql.ENVIRONMENT)) {
            row.next();
            return Environment.of(
                    new Component("micronaut", VersionUtils.getMicronautVersion()),
                    new Component(about.getDriverName(), about.getDriverVersion()),
                    Environment.ServingThread.current(),
                    pool.now(),
                    pool.settings(),
                    Environment.Database.seen(row));
        }
    }

    /** The loops that take connections. What a transport other than Java's is called differs by the system. */
    private Environment.Loops loops() {
        boolean isNio = loops instanceof IoEventLoopGroup group && group.isIoType(NioIoHandler.class);
        return Environment.Loops.of(loops, !isNio);
    }
}
