package org.plumbline.app.zipcode;

import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One transaction an operation; begun by hand, since what add() catches ends the first of two. */
@ApplicationScoped
public class ZipCodeService {
    private final ZipCodeRepository codes;

    ZipCodeService(ZipCodeRepository codes) {
        this.codes = codes;
    }

    public ZipCodeView byKey(String zip) {
        return QuarkusTransaction.requiringNew()
                .call(() -> codes.byKey(zip).orElseThrow(() -> new Refused(Problem.noSuchZipCode(zip))));
    }

    public List<ZipCodeView> byCity(String city) {
        return QuarkusTransaction.requiringNew().call(() -> codes.byCity(city));
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public ZipCodeView add(ZipCodeView code) {
        try {
            return QuarkusTransaction.requiringNew()
                    .call(() -> codes.byKey(code.zip()).orElseGet(() -> codes.insert(code)));
        } catch (Statements.DuplicateKey exists) {
            return byKey(code.zip());
        }
    }
}
