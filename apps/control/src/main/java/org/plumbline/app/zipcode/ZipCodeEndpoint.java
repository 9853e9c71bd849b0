package org.plumbline.app.zipcode;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.plumbline.app.plumbing.Answer;
import org.plumbline.app.plumbing.Json;
import org.plumbline.app.plumbing.JsonObject;
import org.plumbline.app.plumbing.Problems;

/** Routes of the workload zipcode. */
public final class ZipCodeEndpoint {
    private static final int MAX_ZIP = 100;
    private static final int MAX_TEXT = 255;

    private final ZipCodeService codes;

    public ZipCodeEndpoint(ZipCodeService codes) {
        this.codes = codes;
    }

    public Answer withKey(String zip) throws SQLException, InterruptedException {
        List<ZipCode> found = codes.withKey(zip);
        return found.isEmpty() ? Problems.notFound("No zip code is " + zip + ".") : one(found.getFirst());
    }

    public Answer ofCity(String city) throws SQLException, InterruptedException {
        if (city == null || city.isBlank()) {
            return Problems.badRequest("The city must not be blank.");
        }
        Json json = new Json();
        json.list(codes.ofCity(city), code -> code.write(json));
        return Answer.json(json);
    }

    public Answer add(String body) throws SQLException, InterruptedException {
        Map<String, String> sent = JsonObject.texts(body);
        if (sent == null) {
            return Problems.badRequest("The body must be a JSON object.");
        }
        String zip = sent.get("zip");
        if (zip == null || zip.isBlank()) {
            return Problems.badRequest("The zip must not be blank.");
        }
        for (String key : List.of("zip", "type", "city", "state", "county", "timezone")) {
            int max = key.equals("zip") ? MAX_ZIP : MAX_TEXT;
            String text = sent.get(key);
            if (text != null && text.codePointCount(0, text.length()) > max) {
                return Problems.badRequest("The " + key + " must have at most " + max + " characters.");
            }
        }
        return one(codes.add(new ZipCode(
                zip, sent.get("type"), sent.get("city"), sent.get("state"), sent.get("county"), sent.get("timezone"))));
    }

    private static Answer one(ZipCode code) {
        Json json = new Json();
        code.write(json);
        return Answer.json(json);
    }
}
