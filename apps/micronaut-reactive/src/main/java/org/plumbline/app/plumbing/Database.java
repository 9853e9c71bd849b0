package org.plumbline.app.plumbing;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.r2dbc.pool.PoolingConnectionFactoryProvider;
import io.r2dbc.postgresql.PostgresqlConnectionFactoryProvider;
import io.r2dbc.postgresql.client.SSLMode;
import io.r2dbc.spi.ConnectionFactoryOptions;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.plumbline.domain.Settings;

/** How the database is spoken to, where the address in application.properties has no words for it. */
@Singleton
public class Database implements BeanCreatedEventListener<ConnectionFactoryOptions.Builder> {
    private final Settings.Database database = Settings.from(System.getenv()).database();

    @Override
    public ConnectionFactoryOptions.Builder onCreated(BeanCreatedEvent<ConnectionFactoryOptions.Builder> event) {
        Duration timeout = Duration.ofMillis(database.timeoutMs());
        return tls(event.getBean())
                // Contract: minimum = maximum, opened at start (Pool.java warms it up).
                .option(PoolingConnectionFactoryProvider.INITIAL_SIZE, database.poolSize())
                .option(PoolingConnectionFactoryProvider.MAX_SIZE, database.poolSize())
                // Contract: nobody waits longer for a connection, be it out of the pool or a new one.
                .option(PoolingConnectionFactoryProvider.MAX_ACQUIRE_TIME, timeout)
                .option(PoolingConnectionFactoryProvider.MAX_CREATE_CONNECTION_TIME, timeout);
    }

    private ConnectionFactoryOptions.Builder tls(ConnectionFactoryOptions.Builder options) {
        return switch (database.tls()) {
            case OFF -> options.option(PostgresqlConnectionFactoryProvider.SSL_MODE, SSLMode.DISABLE);
            // The authority is checked; the host name is not, as verify-ca says.
            case REQUIRE -> options.option(PostgresqlConnectionFactoryProvider.SSL_MODE, SSLMode.VERIFY_CA)
                    .option(
                            PostgresqlConnectionFactoryProvider.SSL_ROOT_CERT,
                            database.ca().toString());
        };
    }
}
