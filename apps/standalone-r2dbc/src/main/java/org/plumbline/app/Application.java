package org.plumbline.app;

import java.io.IOException;
import org.plumbline.domain.R2dbcChoices;
import org.plumbline.domain.Settings;
import org.plumbline.domain.companies.Console;

/** The companies of study 001 by R2DBC and its pool, without a framework. */
public final class Application {
    private Application() {}

    public static void main(String[] args) throws IOException {
        R2dbcChoices choices = R2dbcChoices.from(System.getenv());
        Pool pool = new Pool(Settings.from(System.getenv()), choices);
        if (choices.warmUp()) {
            pool.fill();
        }
        Console.serve(args, pool::environment, new Program(pool, choices)::run);
        pool.close();
    }
}
