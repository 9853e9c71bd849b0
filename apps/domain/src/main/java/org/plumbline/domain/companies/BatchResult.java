package org.plumbline.domain.companies;

import java.util.Locale;

/**
 * The answer of {@code GET /benchmark}, and what a standalone program prints. {@code rows} and {@code idSum} (of all
 * company ids that were read) prove the work; {@code threads} took the rows; {@code millis} from the first query to
 * the last row.
 */
public record BatchResult(String query, int count, long rows, long idSum, int threads, double millis) {

    /** JSON in the contract's order of keys, milliseconds with three decimals. */
    public String toJson() {
        return String.format(
                Locale.ROOT,
                "{\"query\":\"%s\",\"count\":%d,\"rows\":%d,\"idSum\":%d,\"threads\":%d,\"millis\":%.3f}",
                query,
                count,
                rows,
                idSum,
                threads,
                millis);
    }
}
