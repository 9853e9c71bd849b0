package org.plumbline.app.plumbing;

import io.asyncer.r2dbc.mysql.MySqlConnectionFactoryProvider;
import io.asyncer.r2dbc.mysql.constant.SslMode;
import io.netty.handler.ssl.SslContextBuilder;
import io.r2dbc.spi.Readable;
import java.util.function.UnaryOperator;
import org.plumbline.domain.R2dbcChoices;
import org.plumbline.domain.Settings;
import org.springframework.boot.r2dbc.autoconfigure.ConnectionFactoryOptionsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** How the database is spoken to, where application.properties have no words for it. */
@Configuration(proxyBeanMethods = false)
public class Database {
    static final String DRIVER = "r2dbc-mysql";
    static final String POM_OF_DRIVER = "/META-INF/maven/io.asyncer/r2dbc-mysql/pom.properties";

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
                ? options -> options.option(MySqlConnectionFactoryProvider.LOOP_RESOURCES, new OwnLoops())
                : options -> {};
    }

    /** Those with parameters are prepared by the server and kept, as the driver of PostgreSQL does without being told. */
    @Bean
    ConnectionFactoryOptionsBuilderCustomizer statements() {
        return options -> options.option(MySqlConnectionFactoryProvider.USE_SERVER_PREPARE_STATEMENT, true);
    }

    @Bean
    ConnectionFactoryOptionsBuilderCustomizer tls(Settings settings) {
        Settings.Database database = settings.database();
        return switch (database.tls()) {
            case OFF -> options -> options.option(MySqlConnectionFactoryProvider.SSL_MODE, SslMode.DISABLED);
            // The authority is checked; the host name is not, as VERIFY_CA says and Netty would do nevertheless.
            case REQUIRE -> options -> options.option(MySqlConnectionFactoryProvider.SSL_MODE, SslMode.VERIFY_CA)
                    .option(MySqlConnectionFactoryProvider.SSL_CA, database.ca().toString())
                    .option(MySqlConnectionFactoryProvider.SSL_CONTEXT_BUILDER_CUSTOMIZER, NO_NAMES);
        };
    }

    private static final UnaryOperator<SslContextBuilder> NO_NAMES =
            context -> context.endpointIdentificationAlgorithm(null);

    /** Of a comparison, which is a BIGINT here: the driver reads none as a boolean. */
    static boolean flag(Readable row, String name) {
        return Long.valueOf(1).equals(row.get(name, Long.class));
    }
}
