package org.nyala.loadtest.cli;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.options.BindOptions;
import org.nyala.loadtest.sasl.Mechanism;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.PeopleLogin;
import org.nyala.loadtest.workload.Security;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of the identity that connections are bound to, and of the way in which people bind.
 * Set by picocli, then only read.
 */
final class IdentityOptions {
  @Mixin private BindOptions bind = new BindOptions();

  @Option(
      names = "--people-mechanism",
      paramLabel = "NAME",
      description = "bind: how people bind: PLAIN, or one of SCRAM (default: simply, with the DN)")
  private @Nullable String peopleMechanism;

  @Option(
      names = "--people-user",
      paramLabel = "PATTERN",
      description = "with --people-mechanism: the name of a person; %%u is user.N, %%d the DN")
  private String peopleUser = PeopleLogin.DEFAULT_PATTERN;

  /**
   * Returns the identity of connections.
   *
   * @throws IllegalArgumentException if the options contradict each other, the jobs, or the
   *     encryption of the connections
   */
  Account account(List<JobKind> jobs, Security security, boolean hasCertificate)
      throws IOException {
    Account account = bind.account(security, hasCertificate);
    boolean isUsed = jobs.stream().anyMatch(IdentityOptions::bindsService);
    require(
        isUsed || account.sasl() == null,
        "--mechanism: this job binds as people, for whom there is --people-mechanism");
    return account;
  }

  private static boolean bindsService(JobKind job) {
    return job != JobKind.BIND && job != JobKind.CONNECT;
  }

  /**
   * Returns the way in which people bind.
   *
   * @throws IllegalArgumentException if the options contradict each other or the encryption
   */
  PeopleLogin people(Security security) {
    if (peopleMechanism == null) {
      require(
          peopleUser.equals(PeopleLogin.DEFAULT_PATTERN), "--people-user takes --people-mechanism");
      return PeopleLogin.SIMPLE;
    }
    Mechanism by = bind.mechanism("--people-mechanism", peopleMechanism, security);
    require(by != Mechanism.EXTERNAL, "--people-mechanism: people have no certificates");
    return new PeopleLogin(by, peopleUser);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
