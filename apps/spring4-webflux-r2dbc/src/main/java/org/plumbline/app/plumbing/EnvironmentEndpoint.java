package org.plumbline.app.plumbing;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.r2dbc.spi.Readable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.R2dbcChoices;
import org.springframework.boot.SpringBootVersion;
import org.springframework.http.MediaType;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

/** What runs, asked on the thread and in the kind of transaction that serve GET /fruits. */
@RestController
public class EnvironmentEndpoint {
    private final DatabaseClient database;
    private final TransactionalOperator reading;
    private final Pool pool;
    private final R2dbcChoices choices;
    private final ReactorResourceFactory resources;

    EnvironmentEndpoint(
            DatabaseClient database,
            ReactiveTransactionManager transactions,
            Pool pool,
            R2dbcChoices choices,
            ReactorResourceFactory resources) {
        this.database = database;
        this.reading = readOnly(transactions);
        this.pool = pool;
        this.choices = choices;
        this.resources = resources;
    }

    private static TransactionalOperator readOnly(ReactiveTransactionManager transactions) {
        DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
        definition.setReadOnly(true);
        return TransactionalOperator.create(transactions, definition);
    }

    @GetMapping(path = "/environment", produces = MediaType.APPLICATION_JSON_VALUE)
    public Mono<String> environment() {
        // Here, since inside of the transaction the driver's loop goes on.
        ServingThread thread = ServingThread.current();
        return database.sql(pool.settings().database().engine().environment())
                .map(EnvironmentEndpoint::database)
                .one()
                .map(seen -> choices.in(
                                Environment.of(
                                        new Component("spring-boot", SpringBootVersion.getVersion()),
                                        new Component(Database.DRIVER, driverVersion()),
                                        thread,
                                        pool.now(),
                                        pool.settings(),
                                        seen),
                                pool.isStarters())
                        .with(loops())
                        .toJson())
                .as(reading::transactional);
    }

    private static Environment.Database database(Readable row) {
        return new Environment.Database(
                row.get("version", String.class),
                row.get("isolation", String.class),
                row.get("synchronous_commit", String.class),
                Database.flag(row, "tls"),
                row.get("tls_version", String.class),
                row.get("tls_cipher", String.class));
    }

    /** As the jar says that holds the running classes, not as a pom wished. */
    private static String driverVersion() {
        try (InputStream in = EnvironmentEndpoint.class.getResourceAsStream(Database.POM_OF_DRIVER)) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The loops that serve. What a transport other than Java's is called differs by the system. */
    private Environment.Loops loops() {
        EventLoopGroup serving = resources.getLoopResources().onServer(LoopResources.DEFAULT_NATIVE);
        boolean isNio = serving instanceof IoEventLoopGroup group && group.isIoType(NioIoHandler.class);
        return Environment.Loops.of(serving, !isNio);
    }
}
