package org.nyala.loadtest.ldap;

import java.util.Map;

/** The names of result codes that servers answer often (RFC 4511). Stateless. */
public final class ResultNames {
  /** Another server has the entry. */
  public static final int REFERRAL = 10;

  /** The server has no time now. */
  public static final int BUSY = 51;

  /** The server is not available now. */
  public static final int UNAVAILABLE = 52;

  /** A wrong name or password. */
  public static final int INVALID_CREDENTIALS = 49;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(1, "operationsError"),
          Map.entry(2, "protocolError"),
          Map.entry(3, "timeLimitExceeded"),
          Map.entry(4, "sizeLimitExceeded"),
          Map.entry(7, "authMethodNotSupported"),
          Map.entry(8, "strongerAuthRequired"),
          Map.entry(REFERRAL, "referral"),
          Map.entry(11, "adminLimitExceeded"),
          Map.entry(12, "unavailableCriticalExtension"),
          Map.entry(13, "confidentialityRequired"),
          Map.entry(16, "noSuchAttribute"),
          Map.entry(17, "undefinedAttributeType"),
          Map.entry(19, "constraintViolation"),
          Map.entry(20, "attributeOrValueExists"),
          Map.entry(21, "invalidAttributeSyntax"),
          Map.entry(32, "noSuchObject"),
          Map.entry(34, "invalidDNSyntax"),
          Map.entry(48, "inappropriateAuthentication"),
          Map.entry(INVALID_CREDENTIALS, "invalidCredentials"),
          Map.entry(50, "insufficientAccessRights"),
          Map.entry(BUSY, "busy"),
          Map.entry(UNAVAILABLE, "unavailable"),
          Map.entry(53, "unwillingToPerform"),
          Map.entry(65, "objectClassViolation"),
          Map.entry(66, "notAllowedOnNonLeaf"),
          Map.entry(68, "entryAlreadyExists"),
          Map.entry(80, "other"),
          Map.entry(SyncProgress.REFRESH_REQUIRED, "syncRefreshRequired"));

  private ResultNames() {}

  /** Returns a code in words: {@code noSuchObject (32)}. */
  public static String of(int code) {
    String name = NAMES.get(code);
    return name == null ? "result code " + code : name + " (" + code + ')';
  }
}
