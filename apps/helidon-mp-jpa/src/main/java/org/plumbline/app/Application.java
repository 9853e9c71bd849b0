package org.plumbline.app;

import io.helidon.Main;
import java.nio.file.Path;
import org.plumbline.domain.Settings;

/** The entry point: Helidon finds the rest. */
public final class Application {
    private static final String STORE = "com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean.";
    private static final String POOL = "javax.sql.DataSource.fruits.";

    private Application() {}

    /** The key of the server has a profile of its own, since Helidon reads what a file of settings names, needed or not. */
    public static void main(String[] args) {
        if ("on".equals(System.getenv("HTTP_TLS"))) {
            System.setProperty("mp.config.profile", "tls");
        }
        // Narayana's own choice is the working directory, which nobody may write in a container.
        String folder = Path.of(System.getProperty("java.io.tmpdir"), "narayana").toString();
        System.setProperty(STORE + "objectStoreDir", folder);
        System.setProperty(STORE + "communicationStore.objectStoreDir", folder);
        sizePool(Settings.from(System.getenv()).database());
        Main.main(args);
    }

    /**
     * States the size of the pool and its timeout, but for the profile defaults, where both are HikariCP's own: no file of settings
     * can leave a key out.
     */
    private static void sizePool(Settings.Database database) {
        if (database.poolSize() > 0) {
            // Contract: minimum = maximum, opened at start (Pool.java waits for it).
            System.setProperty(POOL + "minimumIdle", Integer.toString(database.poolSize()));
            System.setProperty(POOL + "maximumPoolSize", Integer.toString(database.poolSize()));
            // Contract: nobody waits longer for a connection, be it out of the pool or a new one.
            System.setProperty(POOL + "connectionTimeout", database.timeoutWord());
        }
    }
}
