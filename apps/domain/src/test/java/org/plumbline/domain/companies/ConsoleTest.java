package org.plumbline.domain.companies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Settings;

class ConsoleTest {
    private static final Environment ENVIRONMENT = Environment.withoutDatabase(
            new Component("java", "25"), ServingThread.current(), Settings.withoutDatabase(Map.of()));

    /** A program that reads what each batch asks for, of the company 7. */
    private static BatchResult work(Batch batch) {
        BatchTally tally = new BatchTally(batch);
        for (int i = 0; i < batch.count(); i++) {
            tally.row(new CompanyView(7, "seven"));
        }
        return tally.result();
    }

    private static List<String> told(String... lines) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console.serve(
                new ByteArrayInputStream(String.join("\n", lines).getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                () -> ENVIRONMENT,
                ConsoleTest::work);
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void saysFirstWhatItIs() throws IOException {
        assertEquals(List.of(ENVIRONMENT.toJson()), told());
        assertEquals(List.of(ENVIRONMENT.toJson(), ENVIRONMENT.toJson()), told("environment"));
    }

    @Test
    void runsOneBatchAtLeast() throws IOException {
        List<String> said = told("run one 3 0");
        assertEquals(3, said.size());
        assertTrue(said.get(1).startsWith("{\"query\":\"one\",\"count\":3,\"rows\":3,\"idSum\":21,\"threads\":1,"));
        assertTrue(said.get(2).matches("\\{\"batches\":1,\"millis\":[0-9.]+}"));
    }

    @Test
    void runsBatchesUntilTheTimeIsOver() throws IOException {
        List<String> said = told("run one 3 0.5");
        int batches = said.size() - 2;
        assertTrue(batches > 1);
        assertTrue(said.getLast().startsWith("{\"batches\":" + batches + ","));
        double millis = Double.parseDouble(said.getLast().replaceAll(".*:|}", ""));
        assertTrue(millis >= 500);
    }

    @Test
    void refusesWhatItDoesNotUnderstandAndGoesOn() throws IOException {
        List<String> said = told("run two 3 1", "run one 0 1", "run one 3 soon", "stop", "run one 1 0");
        assertEquals("{\"status\":400,\"title\":\"Bad Request\",\"detail\":\"The query must be one, hundred or sleep.\"}",
                said.get(1));
        assertTrue(said.get(2).contains("The count must be a whole number"));
        assertTrue(said.get(3).contains("The seconds must be a number"));
        assertTrue(said.get(4).contains("A line must be"));
        assertTrue(said.get(5).startsWith("{\"query\":\"one\",\"count\":1,"));
    }
}
