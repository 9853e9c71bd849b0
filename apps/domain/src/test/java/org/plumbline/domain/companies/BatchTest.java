package org.plumbline.domain.companies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.plumbline.domain.Refused;

class BatchTest {
    @Test
    void keysVisitEveryCompanyBeforeOneComesTwice() {
        Batch batch = Batch.of("one", "100000");
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < batch.count(); i++) {
            keys.add(batch.parameter(i));
        }
        assertEquals(Batch.COMPANIES, keys.size());
        assertEquals(Set.of(1, 100_000), Set.of(keys.stream().min(Integer::compare).orElseThrow(), keys.stream().max(Integer::compare).orElseThrow()));
    }

    @Test
    void whatIsNotAskedForRightIsRefused() {
        assertRefused("The query must be one, hundred or sleep.", "two", "1");
        assertRefused("The count must be a whole number from 1 to 1000000.", "one", "0");
        assertRefused("The count must be a whole number from 1 to 1000000.", "one", "1000001");
        assertRefused("The count must be a whole number from 1 to 1000000.", "one", null);
    }

    @Test
    void aResultIsJson() {
        BatchTally tally = new BatchTally(Batch.of("hundred", "1"));
        tally.row(new CompanyView(1, "a"));
        tally.row(new CompanyView(2, "b"));
        BatchResult result = tally.result();
        assertEquals(
                "{\"query\":\"hundred\",\"count\":1,\"rows\":2,\"idSum\":3,\"threads\":1,\"millis\":1.500}",
                new BatchResult(result.query(), 1, result.rows(), result.idSum(), result.threads(), 1.5).toJson());
    }

    private static void assertRefused(String detail, String query, String count) {
        assertEquals(
                detail,
                assertThrows(Refused.class, () -> Batch.of(query, count)).problem().detail());
    }
}
