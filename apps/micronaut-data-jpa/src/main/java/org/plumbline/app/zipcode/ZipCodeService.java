package org.plumbline.app.zipcode;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.util.List;
import org.hibernate.Session;
import org.hibernate.exception.ConstraintViolationException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.ZipCode;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One transaction an operation; by TransactionOperations, since what add() catches comes out of its commit. */
@Singleton
public class ZipCodeService {
    private final ZipCodeRepository codes;
    private final TransactionOperations<Session> transactions;

    ZipCodeService(ZipCodeRepository codes, TransactionOperations<Session> transactions) {
        this.codes = codes;
        this.transactions = transactions;
    }

    public ZipCodeView byKey(String zip) {
        return transactions.executeRead(status -> codes.byKey(zip)
                .orElseThrow(() -> new Refused(Problem.noSuchZipCode(zip)))
                .view());
    }

    public List<ZipCodeView> byCity(String city) {
        return transactions.executeRead(
                status -> codes.byCity(city).stream().map(ZipCode::view).toList());
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public ZipCodeView add(ZipCodeView code) {
        try {
            return transactions.executeWrite(status -> codes.byKey(code.zip())
                    .orElseGet(() -> codes.save(new ZipCode(code)))
                    .view());
        } catch (ConstraintViolationException exists) {
            return byKey(code.zip());
        }
    }
}
