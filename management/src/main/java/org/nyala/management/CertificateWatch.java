package org.nyala.management;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.nyala.management.bean.NoticeKind;
import org.nyala.netty.tls.TlsStatus;

/** The check of a server's certificates, those of LDAP and of management. Stateless. */
final class CertificateWatch {
  /** The rest of a certificate's validity from which on it is reported: clients renew earlier. */
  private static final int DAYS = 14;

  private CertificateWatch() {}

  /** Raises and clears the alarms about certificates. */
  static void look(List<TlsStatus> certificates, Notifications notices) {
    String failure =
        certificates.stream()
            .map(TlsStatus::failure)
            .filter(each -> !each.isEmpty())
            .distinct()
            .collect(Collectors.joining("; "));
    notices.set(NoticeKind.CERTIFICATE_UNUSABLE, "", "reason", failure);
    TlsStatus first =
        certificates.stream()
            .min(Comparator.comparing(TlsStatus::end))
            .orElse(new TlsStatus(Instant.MAX, "", ""));
    Instant end = first.end();
    notices.set(
        NoticeKind.CERTIFICATE_ENDS,
        !end.isAfter(Instant.now().plus(DAYS, ChronoUnit.DAYS)),
        "the certificate " + first.ending() + " ends on " + end,
        Map.of("end", end.toString()));
  }
}
