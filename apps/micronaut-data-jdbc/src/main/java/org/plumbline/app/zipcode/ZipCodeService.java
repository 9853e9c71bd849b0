package org.plumbline.app.zipcode;

import io.micronaut.data.exceptions.DataAccessException;
import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.util.List;
import org.plumbline.app.plumbing.Duplicates;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One transaction an operation; by TransactionOperations, since add() goes on after the end of one. */
@Singleton
public class ZipCodeService {
    private final ZipCodeRepository codes;
    private final TransactionOperations<Connection> transactions;

    ZipCodeService(ZipCodeRepository codes, TransactionOperations<Connection> transactions) {
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
                status -> codes.byCity(city).stream().map(ZipCodeRow::view).toList());
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public ZipCodeView add(ZipCodeView code) {
        try {
            return transactions.executeWrite(status -> codes.byKey(code.zip())
                    .orElseGet(() -> codes.save(new ZipCodeRow(code)))
                    .view());
        } catch (DataAccessException failed) {
            if (Duplicates.isDuplicate(failed)) {
                return byKey(code.zip());
            }
            throw failed;
        }
    }
}
