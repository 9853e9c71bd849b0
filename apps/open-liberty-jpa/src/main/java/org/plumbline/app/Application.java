package org.plumbline.app;

import com.ibm.wsspi.kernel.embeddable.Server;
import com.ibm.wsspi.kernel.embeddable.ServerBuilder;
import com.ibm.wsspi.kernel.embeddable.ServerEventListener.ServerEvent.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * The entry point: Open Liberty within this process. The server's own command would have it write beside the application, where
 * a container has no right to and where several processes may run at once.
 */
public final class Application {
    private Application() {}

    public static void main(String[] args) throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        Server server = new ServerBuilder()
                .setName("defaultServer")
                .setUserDir(Path.of("wlp", "usr").toAbsolutePath().toFile())
                .setOutputDir(Files.createTempDirectory("open-liberty").toFile())
                .setServerEventListener(event -> {
                    if (event.getType() == Type.STOPPED) {
                        stopped.countDown();
                    }
                })
                .build();
        Server.Result started = server.start().get();
        if (!started.successful()) {
            throw started.getException();
        }
        // None of the server's threads keeps the process alive.
        stopped.await();
    }
}
