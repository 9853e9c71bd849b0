package org.plumbline.app.plumbing;

import io.r2dbc.postgresql.PostgresqlConnectionFactoryProvider;
import io.r2dbc.postgresql.client.SSLMode;
import io.r2dbc.spi.Readable;
import org.plumbline.domain.R2dbcChoices;
import org.plumbline.domain.Settings;
import org.springframework.boot.r2dbc.autoconfigure.ConnectionFactoryOptionsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** How the database is spoken to, where application.properties have no words for it. */
@Configuration(proxyBeanMethods = false)
public class Database {
    static final String DRIVER = "r2dbc-postgresql";
    static final String POM_OF_DRIVER = "/META-INF/maven/org.postgresql/r2dbc-postgresql/pom.properties";

    @Bean
    Settings settings() {
        return Settings.from(System.getenv());
    }

    @Bean
    R2dbcChoices choices() {
        return R2dbcChoices.from(System.getenv());
    }

    @Bean
    ConnectionFactoryOptionsBuilderCustomizer loops(R2dbcChoices choices) {
        return choices.ownLoops()
                ? options -> options.option(PostgresqlConnectionFactoryProvider.LOOP_RESOURCES, new OwnLoops())
                : options -> {};
    }

    /** In code, since the driver takes the empty name of an absent file for a file that is missing. */
    @Bean
    ConnectionFactoryOptionsBuilderCustomizer tls(Settings settings) {
        Settings.Database database = settings.database();
        return switch (database.tls()) {
            case OFF -> options -> options.option(PostgresqlConnectionFactoryProvider.SSL_MODE, SSLMode.DISABLE);
            // The authority is checked; the host name is not, as verify-ca says.
            case REQUIRE -> options -> options.option(PostgresqlConnectionFactoryProvider.SSL_MODE, SSLMode.VERIFY_CA)
                    .option(
                            PostgresqlConnectionFactoryProvider.SSL_ROOT_CERT,
                            database.ca().toString());
        };
    }

    static boolean flag(Readable row, String name) {
        return Boolean.TRUE.equals(row.get(name, Boolean.class));
    }
}
