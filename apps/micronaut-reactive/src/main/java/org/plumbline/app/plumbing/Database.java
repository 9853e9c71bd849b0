package org.plumbline.app.plumbing;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.r2dbc.postgresql.PostgresqlConnectionFactoryProvider;
import io.r2dbc.postgresql.client.SSLMode;
import io.r2dbc.spi.ConnectionFactoryOptions;
import jakarta.inject.Singleton;
import org.plumbline.domain.Settings;

/** Whether the database is spoken to over TLS, for which the address in application.properties has no words. */
@Singleton
public class Database implements BeanCreatedEventListener<ConnectionFactoryOptions.Builder> {
    private final Settings.Database database = Settings.from(System.getenv()).database();

    @Override
    public ConnectionFactoryOptions.Builder onCreated(BeanCreatedEvent<ConnectionFactoryOptions.Builder> event) {
        ConnectionFactoryOptions.Builder options = event.getBean();
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
