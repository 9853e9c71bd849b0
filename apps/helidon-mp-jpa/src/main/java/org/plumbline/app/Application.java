package org.plumbline.app;

import io.helidon.Main;
import java.nio.file.Path;

/** The entry point: Helidon finds the rest. */
public final class Application {
    private static final String STORE = "com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean.";

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
        Main.main(args);
    }
}
