package org.plumbline.app.plumbing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.EntityManagerFactory;
import org.apache.coyote.AbstractProtocol;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.plumbline.domain.Environment;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.web.ServerProperties;
import org.springframework.boot.web.embedded.tomcat.TomcatWebServer;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor;
import org.springframework.stereotype.Component;

/** The setting profile, by the objects that it is about: a file that nobody read, or a value that did nothing, shows. */
@Component
public class Tuning {
    private static final long USUAL_TIMEOUT_MS = new HikariConfig().getConnectionTimeout();
    private static final int USUAL_THREADS = new ServerProperties().getTomcat().getThreads().getMax();

    private final HikariDataSource dataSource;
    private final EntityManagerFactory entities;
    private final ServletWebServerApplicationContext context;
    private final boolean inView;

    Tuning(
            HikariDataSource dataSource,
            EntityManagerFactory entities,
            ServletWebServerApplicationContext context,
            ObjectProvider<OpenEntityManagerInViewInterceptor> sessionInView) {
        this.dataSource = dataSource;
        this.entities = entities;
        this.context = context;
        this.inView = sessionInView.getIfAvailable() != null;
    }

    /** Adds the settings that the objects of this variant tell. */
    Environment in(Environment environment, boolean virtualThreads) {
        return environment.alsoUnderstood("profile", profile(virtualThreads));
    }

    /**
     * {@code tuned}, {@code parity}, {@code defaults}, or what is none of them. Of requests on virtual threads Tomcat's do not
     * count.
     */
    private String profile(boolean virtualThreads) {
        boolean pool = dataSource.isAutoCommit();
        boolean hibernate = !entities.unwrap(SessionFactoryImplementor.class)
                .getSessionFactoryOptions()
                .doesConnectionProviderDisableAutoCommit();
        int threads = threads();
        boolean itsOwn = dataSource.getConnectionTimeout() == USUAL_TIMEOUT_MS;
        if (!pool && !hibernate && !itsOwn && !inView && (virtualThreads || threads == dataSource.getMaximumPoolSize())) {
            return "tuned";
        }
        if (pool && hibernate && itsOwn == inView && (virtualThreads || threads == USUAL_THREADS)) {
            return inView ? "defaults" : "parity";
        }
        return "threads %d, autocommit %s, to Hibernate %s, timeout %d ms, session in view %s"
                .formatted(threads, pool, hibernate, dataSource.getConnectionTimeout(), inView);
    }

    private int threads() {
        TomcatWebServer server = (TomcatWebServer) context.getWebServer();
        return ((AbstractProtocol<?>) server.getTomcat().getConnector().getProtocolHandler()).getMaxThreads();
    }
}
