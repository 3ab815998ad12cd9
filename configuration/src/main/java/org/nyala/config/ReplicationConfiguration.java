package org.nyala.config;

import static org.nyala.config.ConfigSection.MANY;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.nyala.error.ErrorMessages;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderLogin;
import org.nyala.replica.ProviderUrl;
import org.nyala.replica.ReplicationSettings;

/** Reads the configuration of copies of another server's naming contexts. Stateless. */
final class ReplicationConfiguration {
  private static final String PROVIDER = "provider";
  private static final String TLS = "tls";
  private static final String START_TLS = "startTls";
  private static final String REQUIRE_ENCRYPTION = "requireEncryption";
  private static final String REFER_TO = "referTo";
  private static final String REFER = "refer";
  private static final String REFUSE = "refuse";
  private static final int LAST_REPLICA = 999;
  private static final int DEFAULT_REPLICA = 1;
  private static final int DEFAULT_DELETE_PERCENT = 20;
  private static final int HOUR_SECONDS = 3600;
  private static final int DAY_SECONDS = 86_400;
  private static final int MONTH_SECONDS = 30 * DAY_SECONDS;
  private static final int MIB_SHIFT = 20;
  private static final int MOST_MEBIBYTES = 65_536;
  private static final int LARGEST_MESSAGE_MEBIBYTES = 2047;
  private static final long SECOND_MILLIS = 1000;

  private ReplicationConfiguration() {}

  /**
   * Reads it from its section.
   *
   * @param base the folder that relative paths are relative to
   * @return nothing if no provider is named
   */
  static Optional<ReplicationSettings> read(ConfigSection section, Path base) {
    Optional<ProviderUrl> url = section.text(PROVIDER).map(text -> url(section, PROVIDER, text));
    boolean refers = section.word("writes", REFER, List.of(REFER, REFUSE)).equals(REFER);
    Optional<String> referral =
        section.text(REFER_TO).map(text -> url(section, REFER_TO, text).toString());
    List<String> suffixes = section.texts("suffixes", List.of());
    int replicaId = section.integer("replicaId", DEFAULT_REPLICA, 0, LAST_REPLICA);
    int percent = section.integer("maximumDeletePercent", DEFAULT_DELETE_PERCENT, 0, 100);
    ReplicationSettings.Queue queue = queue(section);
    ReplicationSettings.Retry retry = retry(section);
    int readyLag = readyLag(section, seconds(retry.idleMillis()));
    Optional<ProviderAccess> access = access(section, base, url);
    if (refers
        && referral.isEmpty()
        && access.isPresent()
        && access.get().encryption().startTls()) {
      throw section.problem(
          REFER_TO,
          "a referral to ldap:// does not ask clients for StartTLS: name the URL for them here, or"
              + " set writes = refuse");
    }
    return access.map(
        provider ->
            new ReplicationSettings(
                provider,
                suffixes,
                replicaId,
                refers,
                referral.orElse(provider.url().toString()),
                percent,
                queue,
                retry,
                readyLag));
  }

  private static ProviderUrl url(ConfigSection section, String key, String text) {
    try {
      return ProviderUrl.parse(text);
    } catch (IllegalArgumentException e) {
      throw section.problem(key, ErrorMessages.line(e));
    }
  }

  private static ReplicationSettings.Queue queue(ConfigSection section) {
    ReplicationSettings.Queue d = ReplicationSettings.Queue.DEFAULT;
    return new ReplicationSettings.Queue(
        section.integer("queuedMessages", d.messages(), 1, MANY),
        mebibytes(section, "queuedMebibytes", d.bytes()),
        mebibytes(section, "waitingMebibytes", d.waitingBytes()));
  }

  private static long mebibytes(ConfigSection section, String key, long defaultBytes) {
    int mebibytes = section.integer(key, (int) (defaultBytes >> MIB_SHIFT), 1, MOST_MEBIBYTES);
    return (long) mebibytes << MIB_SHIFT;
  }

  private static ReplicationSettings.Retry retry(ConfigSection section) {
    ReplicationSettings.Retry d = ReplicationSettings.Retry.DEFAULT;
    int first = section.integer("retrySeconds", seconds(d.firstMillis()), 1, HOUR_SECONDS);
    int longest =
        section.integer(
            "maximumRetrySeconds", Math.max(first, seconds(d.longestMillis())), first, DAY_SECONDS);
    int idle = section.integerOrOff("idleCheckSeconds", seconds(d.idleMillis()), 1, DAY_SECONDS);
    return new ReplicationSettings.Retry(
        first * SECOND_MILLIS, longest * SECOND_MILLIS, idle * SECOND_MILLIS);
  }

  /** Reads the lag of a copy that is ready: with a sign of life at each check, it always is. */
  private static int readyLag(ConfigSection section, int idleSeconds) {
    int least = Math.max(1, 2 * idleSeconds);
    int usual = Math.max(least, ReplicationSettings.DEFAULT_READY_LAG_SECONDS);
    return section.integerOrOff("readyLagSeconds", usual, least, Math.max(least, MONTH_SECONDS));
  }

  private static int seconds(long millis) {
    return (int) (millis / SECOND_MILLIS);
  }

  private static Optional<ProviderAccess> access(
      ConfigSection section, Path base, Optional<ProviderUrl> url) {
    ProviderAccess.Encryption encryption = encryption(section, base);
    ProviderLogin login = login(section.section("bind"), base, url.isPresent());
    int connect =
        section.integer(
            "connectTimeoutSeconds", seconds(ProviderAccess.CONNECT_MILLIS), 1, HOUR_SECONDS);
    int answer =
        section.integer(
            "answerTimeoutSeconds", seconds(ProviderAccess.ANSWER_MILLIS), 1, HOUR_SECONDS);
    int message = section.integerOrAuto("maximumMessageMebibytes", 1, LARGEST_MESSAGE_MEBIBYTES);
    Optional<ProviderAccess> access =
        url.map(
            provider ->
                new ProviderAccess(
                    provider,
                    encryption,
                    login,
                    (int) (connect * SECOND_MILLIS),
                    (int) (answer * SECOND_MILLIS),
                    message << MIB_SHIFT));
    access.ifPresent(used -> requireEncryption(section, used));
    return access;
  }

  private static ProviderAccess.Encryption encryption(ConfigSection section, Path base) {
    ConfigSection tls = section.section(TLS);
    return new ProviderAccess.Encryption(
        section.bool(START_TLS, false),
        section.bool(REQUIRE_ENCRYPTION, true),
        tls.text("trust").map(base::resolve).orElse(null),
        tls.bool("verifyHost", true),
        WireConfiguration.files(tls, base).orElse(null));
  }

  /** Requires that the settings of encryption fit together, and are enough. */
  private static void requireEncryption(ConfigSection section, ProviderAccess access) {
    if (access.encryption().startTls() && access.url().isTls()) {
      throw section.problem(START_TLS, "ldaps:// is encrypted already: expected false");
    }
    if (access.isExposed()) {
      throw section.problem(
          PROVIDER,
          "entries and password hashes would cross the network in clear text: use ldaps://, or set"
              + " startTls = true");
    }
    if (!access.isEncrypted() && !section.section(TLS).keys().isEmpty()) {
      throw section.problem(
          TLS, "connections to ldap:// are not encrypted: use ldaps://, or set startTls = true");
    }
    boolean hasCertificate = access.isEncrypted() && access.encryption().certificate() != null;
    if (access.login().mechanism().equals(ProviderLogin.EXTERNAL) && !hasCertificate) {
      throw section
          .section("bind")
          .problem("mechanism", "EXTERNAL needs encryption and tls.certificate");
    }
  }

  private static ProviderLogin login(ConfigSection section, Path base, boolean isUsed) {
    Optional<String> secret = section.secret("password", base);
    Optional<Path> file = section.text("passwordFile").map(base::resolve);
    ProviderLogin login =
        new ProviderLogin(
            section.word("mechanism", ProviderLogin.SIMPLE, ProviderLogin.MECHANISMS),
            section.text("dn").orElse(null),
            section.text("user").orElse(null),
            section.text("realm").orElse(null),
            file.isPresent() ? null : secret.orElse(null),
            file.orElse(null),
            section.text("keytab").map(base::resolve).orElse(null));
    String lack = login.lack();
    if (isUsed && lack != null) {
      throw section.problem(
          "mechanism", login.mechanism() + " needs " + lack + " as well, which is not set");
    }
    return login;
  }
}
