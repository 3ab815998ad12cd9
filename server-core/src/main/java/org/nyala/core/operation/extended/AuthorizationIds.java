package org.nyala.core.operation.extended;

import java.nio.charset.StandardCharsets;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.BerLimitException;
import org.nyala.core.ber.BerReader;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;

/** Reads and writes authorization identities (RFC 4513, section 5.2.1.8). */
public final class AuthorizationIds {
  private static final String DN_PREFIX = "dn:";

  private AuthorizationIds() {}

  /** The identity as text; empty for anonymous. */
  public static byte[] encode(BoundIdentity identity) {
    String text = identity.isAnonymous() ? "" : DN_PREFIX + identity.dn();
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The identity that a client asks to act as (RFC 4370, section 3).
   *
   * @throws LdapOperationException authorizationDenied for one that is not known here
   */
  public static BoundIdentity decode(OperationContext directory, byte[] value)
      throws LdapOperationException {
    String text;
    try {
      text = BerReader.lenientText(value);
    } catch (BerLimitException e) {
      throw denied("the authorization identity: " + e.getMessage(), RefusalReason.UNKNOWN_TARGET);
    }
    if (text.isEmpty()) {
      return BoundIdentity.ANONYMOUS;
    }
    if (!text.regionMatches(true, 0, DN_PREFIX, 0, DN_PREFIX.length())) {
      throw denied(
          "only names of entries are supported as authorization identities",
          RefusalReason.UNKNOWN_TARGET);
    }
    Dn name;
    try {
      name = directory.scratch().names.parse(text.substring(DN_PREFIX.length()));
    } catch (LdapOperationException _) {
      throw denied("the authorization identity holds no name", RefusalReason.UNKNOWN_TARGET);
    }
    return of(directory, name);
  }

  /** Returns the identity of a name, which may be that of a root account. */
  public static BoundIdentity of(OperationContext directory, Dn name) {
    return directory.roots().identity(name);
  }

  public static LdapOperationException denied(String message, RefusalReason reason) {
    return new LdapOperationException(
        LdapResult.of(ResultCode.AUTHORIZATION_DENIED, message), reason);
  }
}
