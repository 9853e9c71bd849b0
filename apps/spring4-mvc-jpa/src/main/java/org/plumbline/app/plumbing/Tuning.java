package org.plumbline.app.plumbing;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.EntityManagerFactory;
import org.apache.coyote.AbstractProtocol;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.stereotype.Component;

/** The setting profile, by the objects that it is about: a file that nobody read, or a value that did nothing, shows. */
@Component
public class Tuning {
    private static final int USUAL_THREADS = new TomcatServerProperties().getThreads().getMax();

    private final HikariDataSource dataSource;
    private final EntityManagerFactory entities;
    private final ServletWebServerApplicationContext context;

    Tuning(HikariDataSource dataSource, EntityManagerFactory entities, ServletWebServerApplicationContext context) {
        this.dataSource = dataSource;
        this.entities = entities;
        this.context = context;
    }

    /** {@code tuned}, {@code parity}, or what is neither. Of requests on virtual threads Tomcat's do not count. */
    String profile(boolean virtualThreads) {
        boolean pool = dataSource.isAutoCommit();
        boolean hibernate = !entities.unwrap(SessionFactoryImplementor.class)
                .getSessionFactoryOptions()
                .doesConnectionProviderDisableAutoCommit();
        int threads = threads();
        if (!pool && !hibernate && (virtualThreads || threads == dataSource.getMaximumPoolSize())) {
            return "tuned";
        }
        if (pool && hibernate && (virtualThreads || threads == USUAL_THREADS)) {
            return "parity";
        }
        return "threads %d, autocommit %s, to Hibernate %s".formatted(threads, pool, hibernate);
    }

    private int threads() {
        TomcatWebServer server = (TomcatWebServer) context.getWebServer();
        return ((AbstractProtocol<?>) server.getTomcat().getConnector().getProtocolHandler()).getMaxThreads();
    }
}
