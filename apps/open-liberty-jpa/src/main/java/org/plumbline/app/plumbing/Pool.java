package org.plumbline.app.plumbing;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.plumbline.domain.Connections;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

/** The settings and the pool as they are now; Open Liberty opens connections when they are asked for, so the start asks for all. */
@ApplicationScoped
public class Pool {
    private static final String POOL = "WebSphere:type=com.ibm.ws.jca.cm.mbean.ConnectionManagerMBean,jndiName=jdbc/fruits,*";
    private static final Pattern COUNTS = Pattern.compile(
            "\\bmaxPoolSize=(?<most>[0-9]+)[\\s\\S]*\\bsize=(?<open>[0-9]+)[\\s\\S]*\\bavailable=(?<idle>[0-9]+)");

    /** Not shared: else whoever asks twice is given the same connection twice. */
    @Resource(name = "jdbc/unshared", lookup = "jdbc/fruits", shareable = false)
    private DataSource dataSource;

    private final Settings settings = Settings.from(System.getenv());

    /** Holds every connection at once, which proves that all are open; the port is opened after the application has started. */
    void fill(@Observes @Initialized(ApplicationScoped.class) Object start) throws SQLException {
        if (settings.database().warmUp()) {
            Connections.openAll(dataSource, settings.database().poolSize());
        }
    }

    public Settings settings() {
        return settings;
    }

    /** As the server tells it: a list of all connections below their counts. */
    public Environment.Pool now() {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName pool = server.queryNames(new ObjectName(POOL), null).iterator().next();
            Matcher counts = COUNTS.matcher((String) server.invoke(pool, "showPoolContents", null, null));
            if (!counts.find()) {
                throw new IllegalStateException("The pool does not tell its counts.");
            }
            int open = Integer.parseInt(counts.group("open"));
            return new Environment.Pool(
                    Integer.parseInt(counts.group("most")), open, open - Integer.parseInt(counts.group("idle")));
        } catch (JMException unknown) {
            throw new IllegalStateException(unknown);
        }
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !settings.database().warmUp() || now().full();
    }

    /** The environment with what this pool shows of its settings: a size that nobody stated is the one of the profile defaults. */
    public Environment addTo(Environment environment) {
        boolean stated = now().configured() == settings.database().poolSize();
        return environment
                .alsoUnderstood("profile", stated ? "parity" : "defaults")
                .alsoUnderstood("pool_warm_up", settings.database().warmUpWord());
    }
}
