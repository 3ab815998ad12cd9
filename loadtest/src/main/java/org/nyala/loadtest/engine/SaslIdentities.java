package org.nyala.loadtest.engine;

import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.sasl.Mechanism;
import org.nyala.loadtest.sasl.SaslLogin;
import org.nyala.loadtest.sasl.ScramKeyStore;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.PeopleLogin;

/**
 * The identities that a test binds by SCRAM, and their keys. Thread-safe; without SCRAM it holds
 * nothing.
 */
public final class SaslIdentities implements AutoCloseable {
  private final LoadSettings settings;
  private final PeopleLogin people;
  private final @Nullable ScramKeyStore serviceKeys;
  private final @Nullable ScramKeyStore peopleKeys;

  private SaslIdentities(LoadSettings settings) {
    this.settings = settings;
    this.people = settings.options().login();
    this.serviceKeys =
        settings.account().isScram()
            ? new ScramKeyStore(
                settings.account().login().mechanism(), 1, _ -> settings.account().password())
            : null;
    Mechanism mechanism = people.mechanism();
    this.peopleKeys =
        mechanism != null && mechanism.isScram()
            ? new ScramKeyStore(mechanism, settings.people().users(), settings::passwordOf)
            : null;
  }

  /** The identities of a test. */
  public static SaslIdentities of(LoadSettings settings) {
    return new SaslIdentities(settings);
  }

  /** The keys of the service identity, the only user; null if it does not bind by SCRAM. */
  @Nullable ScramKeyStore serviceKeys() {
    return serviceKeys;
  }

  /** The keys of the people, numbered from 0 up; null if they do not bind by SCRAM. */
  @Nullable ScramKeyStore peopleKeys() {
    return peopleKeys;
  }

  /** Returns whether SCRAM is bound to connections, whose server then must have a certificate. */
  boolean areBound() {
    Mechanism ofPeople = people.mechanism();
    boolean isServiceBound =
        settings.account().isScram() && settings.account().login().mechanism().isBound();
    return isServiceBound || ofPeople != null && ofPeople.isBound();
  }

  /**
   * A person by its number from 0 up.
   *
   * @throws NullPointerException if people do not bind by SASL
   */
  SaslLogin person(int person) {
    return people.of(
        java.util.Objects.requireNonNull(people.mechanism()),
        settings.dnOf(person),
        settings.valueOf(person));
  }

  @Override
  public void close() {
    if (serviceKeys != null) {
      serviceKeys.close();
    }
    if (peopleKeys != null) {
      peopleKeys.close();
    }
  }
}
