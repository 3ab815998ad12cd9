package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.operation.extended.CancelOperation;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.core.operation.extended.WhoAmIOperation;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.operation.update.StartTransaction;

/** A valid value for every extended operation. */
public final class SampleExtensions {
  /** The operation that dynamic entries are refreshed by (RFC 2589). */
  private static final String REFRESH = "1.3.6.1.4.1.1466.101.119.1";

  private SampleExtensions() {}

  /** Returns the object identifiers of all extended operations, also of those of some settings. */
  public static List<String> oids() {
    List<String> all = new ArrayList<>(ExtendedOperation.OIDS);
    all.add(REFRESH);
    all.add(StartTlsOperation.OID);
    return all;
  }

  /** Returns a meaningful value; null for an operation without one. Fails for unknown ones. */
  public static byte @Nullable [] value(String oid) {
    return switch (oid) {
      case WhoAmIOperation.OID, StartTransaction.OID, StartTlsOperation.OID -> null;
      case EndTransaction.OID -> sequence(new BerWriter().bool(false).octets(new byte[] {1, 2, 3}));
      case CancelOperation.OID -> sequence(new BerWriter().integer(70_000));
      case AccountControl.PASSWORD_MODIFY ->
          sequence(
              new BerWriter()
                  .octets(0x80, "cn=a".getBytes(UTF_8))
                  .octets(0x81, "old".getBytes(UTF_8))
                  .octets(0x82, "new".getBytes(UTF_8)));
      case REFRESH ->
          sequence(
              new BerWriter().octets(0x80, "cn=a".getBytes(UTF_8)).octets(0x81, new byte[] {9}));
      default -> throw new AssertionError("a sample of the value of " + oid + " is missing");
    };
  }

  private static byte[] sequence(BerWriter content) {
    return new BerWriter().sequence(content).toByteArray();
  }
}
