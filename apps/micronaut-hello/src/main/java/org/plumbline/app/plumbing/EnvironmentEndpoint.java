package org.plumbline.app.plumbing;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

/** What runs, asked on the thread that serves GET /hello. */
@Controller("/environment")
public class EnvironmentEndpoint {
    private static final Environment.Component MICRONAUT =
            new Environment.Component("micronaut", VersionUtils.getMicronautVersion());

    @Get
    @Produces(MediaType.APPLICATION_JSON)
    public String environment() {
        return Environment.withoutDatabase(
                        MICRONAUT, Environment.ServingThread.current(), Settings.withoutDatabase(System.getenv()))
                .toJson();
    }
}
