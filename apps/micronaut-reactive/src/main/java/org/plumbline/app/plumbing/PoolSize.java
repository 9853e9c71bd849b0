package org.plumbline.app.plumbing;

import io.micronaut.context.annotation.Requires;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.r2dbc.pool.PoolingConnectionFactoryProvider;
import io.r2dbc.spi.ConnectionFactoryOptions;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.plumbline.domain.Settings;

/** Contract: minimum = maximum, and nobody waits longer for a connection. In code, since the profile defaults states neither. */
@Singleton
@Requires(notEnv = "defaults")
class PoolSize implements BeanCreatedEventListener<ConnectionFactoryOptions.Builder> {
    private final Settings.Database database = Settings.from(System.getenv()).database();

    @Override
    public ConnectionFactoryOptions.Builder onCreated(BeanCreatedEvent<ConnectionFactoryOptions.Builder> event) {
        Duration timeout = Duration.ofMillis(database.timeoutMs());
        return event.getBean()
                .option(PoolingConnectionFactoryProvider.INITIAL_SIZE, database.poolSize())
                .option(PoolingConnectionFactoryProvider.MAX_SIZE, database.poolSize())
                .option(PoolingConnectionFactoryProvider.MAX_ACQUIRE_TIME, timeout)
                .option(PoolingConnectionFactoryProvider.MAX_CREATE_CONNECTION_TIME, timeout);
    }
}
