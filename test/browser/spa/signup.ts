import { api, type Problem } from './api.js';
import { onSubmit } from './form.js';
import { go, goOn, say } from './navigation.js';
import { find, type Page } from './view.js';

export const signup: Page = (view) => {
  const [form, sent] = [find<HTMLFormElement>(view, '#signup'), find(view, '#sent')];
  let address = '';
  onSubmit(form, async ({ email = '', password = '', name, org_name }) => {
    const account = { email, password, ...(name && { name }) };
    if (org_name) await api('post', '/auth/signup-org', { body: { ...account, org_name } });
    else await api('post', '/auth/signup', { body: account });
    address = email;
    form.reset();
    form.hidden = true;
    sent.hidden = false;
    say(`We have sent a link to ${email}. Open it to go on.`);
  });
  onSubmit(find(sent, 'form'), () => resend(address));
};

/** Asks for the mail of a signup once more. */
export async function resend(email: string): Promise<void> {
  await api('post', '/auth/verify-email/resend', { body: { email } });
  say(`A link is on its way to ${email}. If none comes within some minutes, look in the spam folder.`);
}

const WRONG_PASSWORD: Problem = {
  code: 'WrongPassword',
  detail: 'This is not the password of the signup. After five wrong ones the link stops working.',
};

/**
 * Where the mailed link leads. It takes a click, for a mail scanner may open the link and run its scripts. In another
 * browser than the one that signed up, the service asks for the password, or a new one.
 */
export const verifyEmail: Page = (view, query) => {
  const token = query.get('token') ?? '';
  const [confirm, elsewhere] = [find<HTMLFormElement>(view, '#confirm'), find(view, '#elsewhere')];
  const complete = async (proof: { password?: string; new_password?: string }) => {
    const login = await api('post', '/auth/verify-email', { body: { token, ...proof } });
    goOn(login, '/', 'Your address is confirmed, and you are logged in.');
  };

  onSubmit(confirm, async () => {
    try {
      await complete({});
    } catch (problem) {
      if ((problem as Problem).code !== 'PasswordRequired') throw problem;
      say('');
      confirm.hidden = true;
      elsewhere.hidden = false;
      find(elsewhere, 'input').focus();
    }
  });
  onSubmit(find(elsewhere, '#with-password'), async ({ password = '' }) => {
    await complete({ password }).catch((problem: Problem) => {
      throw problem.code === 'PasswordRequired' ? WRONG_PASSWORD : problem;
    });
  });
  onSubmit(find(elsewhere, '#with-new-password'), ({ new_password = '' }) => complete({ new_password }));
};

export const secureAccount: Page = (view, query) => {
  onSubmit(find(view, 'form'), async () => {
    await api('post', '/auth/secure-account', { body: { token: query.get('token') ?? '' } });
    go(
      '/login',
      'Your address is safe. If it has an account with a password, a link to set a new one is on its way to you.',
    );
  });
};
