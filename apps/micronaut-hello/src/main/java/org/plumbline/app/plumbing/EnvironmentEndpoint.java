package org.plumbline.app.plumbing;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.EventExecutor;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

/** What runs, asked on the thread that serves GET /hello. */
@Controller("/environment")
public class EnvironmentEndpoint {
    private static final Environment.Component MICRONAUT =
            new Environment.Component("micronaut", VersionUtils.getMicronautVersion());

    private final EventLoopGroup loops;

    EnvironmentEndpoint(EventLoopGroup loops) {
        this.loops = loops;
    }

    @Get
    @Produces(MediaType.APPLICATION_JSON)
    public String environment() {
        Environment.Loops seen = seen();
        return Environment.withoutDatabase(
                        MICRONAUT, Environment.ServingThread.current(), Settings.withoutDatabase(System.getenv()))
                .with(seen)
                .alsoUnderstood("profile", "native".equals(seen.transport()) ? "tuned" : "parity")
                .toJson();
    }

    /** The loops that serve. What a transport other than Java's is called differs by the system. */
    private Environment.Loops seen() {
        int count = 0;
        for (EventExecutor loop : loops) {
            count++;
        }
        boolean isNio = loops instanceof IoEventLoopGroup group && group.isIoType(NioIoHandler.class);
        return new Environment.Loops(count, isNio ? "nio" : "native");
    }
}
