package org.plumbline.app.companies;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.plumbline.app.companies.CompanyRepository.Company;
import org.plumbline.app.plumbing.Answer;
import org.plumbline.app.plumbing.Json;
import org.plumbline.app.plumbing.Problems;

/** Routes of the workload companies. */
public final class CompanyEndpoint {
    private static final int MAX_LIMIT = 1000;
    private static final int MAX_COUNT = 1_000_000;

    private final CompanyService companies;

    public CompanyEndpoint(CompanyService companies) {
        this.companies = companies;
    }

    public Answer withId(String text) throws SQLException, InterruptedException {
        List<Company> found = text.matches("[0-9]{1,9}") ? companies.withId(Integer.parseInt(text)) : List.of();
        if (found.isEmpty()) {
            return Problems.notFound("No company has the id " + text + ".");
        }
        Json json = new Json();
        write(json, found.getFirst());
        return Answer.json(json);
    }

    public Answer first(String text) throws SQLException, InterruptedException {
        int limit = number(text);
        if (limit < 1 || limit > MAX_LIMIT) {
            return Problems.badRequest("The limit must be a whole number from 1 to " + MAX_LIMIT + ".");
        }
        Json json = new Json();
        json.list(companies.first(limit), company -> write(json, company));
        return Answer.json(json);
    }

    public Answer batch(String query, String text) throws SQLException, InterruptedException {
        String sql = switch (query) {
            case "one" -> CompanyRepository.BY_ID;
            case "hundred" -> CompanyRepository.FIRST;
            case "sleep" -> CompanyRepository.SLEEPING.formatted(companies.sleep());
            case null, default -> null;
        };
        if (sql == null) {
            return Problems.badRequest("The query must be one, hundred or sleep.");
        }
        int count = number(text);
        if (count < 1 || count > MAX_COUNT) {
            return Problems.badRequest("The count must be a whole number from 1 to " + MAX_COUNT + ".");
        }
        CompanyService.Result result = companies.batch(query, sql, count);
        Json json = new Json();
        json.raw("{\"query\":").text(result.query());
        json.raw(",\"count\":").number(result.count());
        json.raw(",\"rows\":").number(result.rows());
        json.raw(",\"idSum\":").number(result.idSum());
        json.raw(",\"threads\":").number(result.threads());
        json.raw(String.format(Locale.ROOT, ",\"millis\":%.3f}", result.millis()));
        return Answer.json(json);
    }

    /** Minus one when it is none. */
    private static int number(String text) {
        return text != null && text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
    }

    private static void write(Json json, Company company) {
        json.raw("{\"id\":").number(company.id());
        json.raw(",\"name\":").text(company.name()).raw("}");
    }
}
