package org.plumbline.app;

import java.io.IOException;
import java.sql.SQLException;
import org.plumbline.domain.Settings;
import org.plumbline.domain.companies.Console;

/** The companies of study 001 by JDBC and HikariCP, without a framework: as many platform threads as connections. */
public final class Application {
    private Application() {}

    public static void main(String[] args) throws IOException, SQLException {
        Settings settings = Settings.from(System.getenv());
        try (Pool pool = new Pool(settings);
                Program program = new Program(pool)) {
            pool.fill();
            Console.serve(args, pool::environment, program::run);
        }
    }
}
