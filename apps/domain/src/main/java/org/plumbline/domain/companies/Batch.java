package org.plumbline.domain.companies;

import java.util.Locale;
import org.plumbline.domain.Numbers;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Many queries asked for by one request, {@code GET /benchmark?query=one|hundred|sleep&count=N}. */
public record Batch(Query query, int count) {
    public static final int MAX_COUNT = 1_000_000;

    /** Of the table. */
    public static final int COMPANIES = 100_000;

    /** Rows of one query {@code hundred}. */
    public static final int HUNDRED = 100;

    /** Coprime to the number of companies, so that keys spread over the whole table and repeat only after all. */
    private static final int STRIDE = 7919;

    public enum Query {
        ONE(CompanySql.BY_ID),
        HUNDRED(CompanySql.FIRST),
        SLEEP(CompanySql.SLEEPING);

        private final String sql;

        Query(String sql) {
            this.sql = sql;
        }

        /** Its text, with one parameter: {@link Batch#parameter}. */
        public String sql() {
            return sql;
        }

        /** As the address has it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Reads the two parameters, or throws {@link Refused} with the 400 of the contract. */
    public static Batch of(String query, String count) {
        return new Batch(query(query), Numbers.require("count", count, MAX_COUNT));
    }

    private static Query query(String word) {
        for (Query query : Query.values()) {
            if (query.word().equals(word)) {
                return query;
            }
        }
        throw new Refused(Problem.badRequest("The query must be one, hundred or sleep."));
    }

    /** The only parameter of query {@code index}, counted from 0: a key, or how many rows. */
    public int parameter(int index) {
        return query == Query.HUNDRED ? HUNDRED : 1 + (int) ((long) index * STRIDE % COMPANIES);
    }
}
