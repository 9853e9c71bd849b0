package org.plumbline.domain.companies;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/**
 * The life of a standalone program once its pool is full: it prints its environment, then does what it is told, a line
 * each, until the lines end. Every answer is one line of JSON.
 *
 * <pre>
 * run one 5000 7.5    batches of 5,000 queries, one after another, until 7.5 s have passed (at least one): a
 *                     BatchResult each, then how many there were and how long all of them took
 * environment         the environment anew
 * </pre>
 */
public final class Console {
    private final PrintStream out;
    private final Supplier<Environment> environment;
    private final Function<Batch, BatchResult> program;

    private Console(PrintStream out, Supplier<Environment> environment, Function<Batch, BatchResult> program) {
        this.out = out;
        this.environment = environment;
        this.program = program;
    }

    /** Told by one file and answering in another, as the two arguments say; without them, by the standard streams. */
    public static void serve(
            String[] args, Supplier<Environment> environment, Function<Batch, BatchResult> program)
            throws IOException {
        if (args.length == 0) {
            serve(System.in, System.out, environment, program);
            return;
        }
        try (InputStream in = new FileInputStream(args[0]);
                PrintStream out = new PrintStream(args[1], StandardCharsets.UTF_8)) {
            serve(in, out, environment, program);
        }
    }

    static void serve(
            InputStream in, PrintStream out, Supplier<Environment> environment, Function<Batch, BatchResult> program)
            throws IOException {
        Console console = new Console(out, environment, program);
        console.say(environment.get().toJson());
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                console.obey(line.split(" "));
            } catch (Refused refused) {
                console.say(refused.problem().toJson());
            }
        }
    }

    private void obey(String[] words) {
        if (words.length == 1 && words[0].equals("environment")) {
            say(environment.get().toJson());
        } else if (words.length == 4 && words[0].equals("run")) {
            run(Batch.of(words[1], words[2]), seconds(words[3]));
        } else {
            throw new Refused(Problem.badRequest("A line must be 'environment' or 'run QUERY COUNT SECONDS'."));
        }
    }

    private void run(Batch batch, double seconds) {
        long begunAt = System.nanoTime();
        int batches = 0;
        do {
            say(program.apply(batch).toJson());
            batches++;
        } while (millisSince(begunAt) < seconds * 1e3);
        say(String.format(Locale.ROOT, "{\"batches\":%d,\"millis\":%.3f}", batches, millisSince(begunAt)));
    }

    private static double seconds(String text) {
        if (text.matches("[0-9]{1,5}(\\.[0-9]{1,3})?")) {
            return Double.parseDouble(text);
        }
        throw new Refused(Problem.badRequest("The seconds must be a number such as 7.5."));
    }

    private static double millisSince(long begunAt) {
        return (System.nanoTime() - begunAt) / 1e6;
    }

    /** At once, since whoever reads waits for it. */
    private void say(String json) {
        out.println(json);
        out.flush();
    }
}
