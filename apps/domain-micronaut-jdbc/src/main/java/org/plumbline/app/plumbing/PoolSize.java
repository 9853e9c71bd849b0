package org.plumbline.app.plumbing;

import io.micronaut.configuration.jdbc.hikari.DatasourceConfiguration;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import org.plumbline.domain.Settings;

/** Contract: minimum = maximum, and nobody waits longer for a connection. In code, since the profile defaults states neither. */
@Singleton
@Requires(notEnv = "defaults")
class PoolSize implements BeanCreatedEventListener<DatasourceConfiguration> {
    private final Settings.Database database = Settings.from(System.getenv()).database();

    @Override
    public DatasourceConfiguration onCreated(BeanCreatedEvent<DatasourceConfiguration> event) {
        DatasourceConfiguration pool = event.getBean();
        pool.setMinimumIdle(database.poolSize());
        pool.setMaximumPoolSize(database.poolSize());
        pool.setConnectionTimeout(database.timeoutMs());
        return pool;
    }
}
