package org.plumbline.app.plumbing;

import io.micronaut.context.annotation.Factory;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.concurrent.ExecutorService;

/** The setting threads: Micronaut's pool of platform threads, or its executor that takes a virtual thread for each request. */
@Factory
public class Workers {
    /** What serves requests. */
    public static final String NAME = "workers";

    @Singleton
    @Named(NAME)
    ExecutorService workers(
            @Named(TaskExecutors.IO) ExecutorService platform, @Named(TaskExecutors.VIRTUAL) ExecutorService virtual) {
        return "virtual".equals(System.getenv("THREADS")) ? virtual : platform;
    }
}
